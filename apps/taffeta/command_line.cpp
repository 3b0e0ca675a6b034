#include "command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "commands.h"

namespace taffeta::app {

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::positive() {
    // CLI::PositiveNumber would print the largest double, all 309 digits of it.
    option_->check(CLI::Validator(
        [](const std::string& word) {
            double number = 0;
            const bool positive =
                CLI::detail::lexical_cast(word, number) && number > 0 && std::isfinite(number);
            return positive ? std::string() : "'" + word + "' is no number above 0";
        },
        "POSITIVE"));
    return *this;
}

Option& Option::within(int low, int high) {
    option_->check(CLI::Range(low, high));
    return *this;
}

Option& Option::within(double low, double high) {
    // CLI::Range lets NaN through.
    option_->check(CLI::Validator(
        [low, high](const std::string& word) {
            double number = 0;
            const bool inside =
                CLI::detail::lexical_cast(word, number) && number >= low && number <= high;
            return inside ? std::string()
                          : fmt::format("'{}' is not within {:g} and {:g}", word, low, high);
        },
        fmt::format("FLOAT in [{:g} - {:g}]", low, high)));
    return *this;
}

Option& Option::one_of(std::vector<std::string> words) {
    option_->check(CLI::IsMember(std::move(words)));
    return *this;
}

Option& Option::comma_separated() {
    option_->delimiter(',');
    return *this;
}

Option& Option::repeatable() {
    option_->take_all();
    return *this;
}

Option& Option::values(int number) {
    option_->expected(number);
    return *this;
}

Option& Option::show_default() {
    option_->capture_default_str();
    return *this;
}

Option& Option::excludes(const Option& other) {
    option_->excludes(other.option_);
    return *this;
}

Command Command::subcommand(const std::string& name, const std::string& doc) {
    return Command(app_->add_subcommand(name, doc));
}

void Command::require_subcommand() {
    app_->require_subcommand(1);
}

template <class T>
Option Command::option(const std::string& names, T& value, const std::string& doc) {
    return Option(app_->add_option(names, value, doc));
}

template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, int&, const std::string&);
template Option Command::option(const std::string&, long&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, std::vector<int>&, const std::string&);
template Option Command::option(const std::string&, std::vector<double>&, const std::string&);

Option Command::flag(const std::string& names, bool& value, const std::string& doc) {
    return Option(app_->add_flag(names, value, doc));
}

void Command::footer(const std::string& text) {
    app_->footer(text);
}

void Command::action(std::function<void()> action) {
    app_->callback(std::move(action));
}

int parse_and_run(int argc, char** argv, const std::string& version) {
    int exit_status = 0;
    CLI::App app("Taffeta: cloth and soft objects, and the solvers behind them", "taffeta");
    app.set_version_flag("--version", version);
    app.require_subcommand(1);
    app.footer("Start with:  taffeta run drooping -o out/drooping && taffeta render out/drooping");
    add_commands(Command(&app), exit_status);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);
        return status == 0 ? 0 : exit_bad_input;
    }
    return exit_status;
}

}  // namespace taffeta::app

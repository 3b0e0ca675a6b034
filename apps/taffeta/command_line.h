#pragma once

#include <functional>
#include <string>
#include <vector>

/// The command line as the commands see it. CLI11 stands behind it and is compiled in one file,
/// because its headers cost more to read than any command.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace taffeta::app {

/// One argument or flag of a command; each rule returns the option, to chain them.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}

    Option& required();
    Option& positive();
    Option& within(int low, int high);
    Option& within(double low, double high);
    Option& one_of(std::vector<std::string> words);
    Option& comma_separated();   ///< a,b,c for one vector
    Option& repeatable();        ///< given several times, all are kept
    Option& values(int number);  ///< exactly so many
    Option& show_default();      ///< in --help
    Option& excludes(const Option& other);

  private:
    CLI::Option* option_;
};

class Command {
  public:
    explicit Command(CLI::App* app) : app_(app) {}

    Command subcommand(const std::string& name, const std::string& doc);
    void require_subcommand();

    /// `names` is `word` for an argument in its place, or `-o,--output`. T is std::string, int,
    /// long, double, or a std::vector of std::string, int or double.
    template <class T>
    Option option(const std::string& names, T& value, const std::string& doc);
    Option flag(const std::string& names, bool& value, const std::string& doc);

    void footer(const std::string& text);
    void action(std::function<void()> action);  ///< called when this command was given

  private:
    CLI::App* app_;
};

}  // namespace taffeta::app

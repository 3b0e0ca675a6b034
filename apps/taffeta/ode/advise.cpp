#include <fmt/format.h>

#include <cmath>

#include "ode/common.h"
#include "plot.h"
#include "taffeta/ode/study/advice.h"

/// `taffeta ode advise`: a method and a step for a problem, with the reasons. [Hauth03] figure 8
namespace taffeta::app {

namespace {

using ode::study::Advice;
using ode::study::Trial;

struct AdviseArguments {
    std::string problem;
    std::vector<std::string> methods, assignments;
    double tolerance = 1e-2;
    bool quiet = false;
    Outputs outputs;
};

plot::Figure trial_figure(const std::string& problem, double tolerance, const Advice& advice) {
    plot::Figure figure;
    figure.width = 760;
    figure.height = 120 + 34 * int(advice.trials.size());
    plot::Panel panel;
    panel.title = fmt::format("{}: operations for an error of {:g} %", problem, 100 * tolerance);
    panel.x_label = "floating-point operations";
    panel.log_x = true;
    double least = HUGE_VAL, most = 0;
    for (const Trial& trial : advice.trials)
        if (trial.met) {
            least = std::min(least, trial.flops);
            most = std::max(most, trial.flops);
        }
    panel.x_range = {std::pow(10, std::floor(std::log10(least)) - 0.5), 12 * most};
    for (const Trial& trial : advice.trials)
        if (trial.met)
            panel.bars.push_back({trial.method, trial.flops, trial.method == advice.method ? 2 : 0,
                                  fmt::format("{} steps of {:.2g} s", trial.steps, trial.h)});
    figure.panels = {panel};
    return figure;
}

void give_advice(const AdviseArguments& arguments, int& exit_status) {
    arguments.outputs.check();
    const auto problem = laboratory_problem(arguments.problem, arguments.assignments);
    const Methods methods = arguments.methods.empty() ? ode::study::advised_candidates()
                                                      : laboratory_methods(arguments.methods, {});
    ProgressLine progress(stderr, arguments.quiet);
    const Advice advice =
        ode::study::advise(*problem, arguments.tolerance, methods, [&](long done, long total) {
            progress.show_work("trials", done, total);
            return true;
        });
    progress.clear();
    Table table({"method", "met", "steps", "h", "error", "flops", "steps_per_period", "advised"});
    for (const Trial& trial : advice.trials) {
        const auto known = [&](double value) { return cell(trial.met ? value : NAN); };
        table.add({cell(trial.method), cell(trial.met), known(double(trial.steps)), known(trial.h),
                   known(trial.error), known(trial.flops), known(trial.steps_per_period),
                   cell(trial.method == advice.method)});
    }
    if (!advice.method.empty()) fmt::print("{} with h = {:.3g} s\n\n", advice.method, advice.h);
    for (const std::string& reason : advice.reasons)
        fmt::print("- {}\n", reason);
    fmt::print("\n{}", table.text(3));
    arguments.outputs.write(table);
    if (!arguments.outputs.plot.empty() && !advice.method.empty())
        plot::write(trial_figure(arguments.problem, arguments.tolerance, advice),
                    arguments.outputs.plot);
    if (advice.method.empty()) exit_status = 1;
}

}  // namespace

void add_ode_advise(Command& ode, int& exit_status) {
    const auto arguments = std::make_shared<AdviseArguments>();
    Command command =
        ode.subcommand("advise", "a method and a step for a problem, with the reasons");
    command.option("problem", arguments->problem, "its key; see taffeta ode list problems")
        .required();
    command.option("--tolerance", arguments->tolerance, "relative error to stay within")
        .within(1e-10, 0.5)
        .show_default();
    command
        .option("--methods", arguments->methods,
                std::string(method_words) + "; one of each kind by default")
        .comma_separated();
    command.option("--set", arguments->assignments, "option=value of the problem").repeatable();
    command.flag("--quiet", arguments->quiet, "no progress line");
    arguments->outputs.add_to(command);
    command.footer("Example:  taffeta ode advise spring_sheet --tolerance 0.02");
    command.action([arguments, &exit_status] { give_advice(*arguments, exit_status); });
}

}  // namespace taffeta::app

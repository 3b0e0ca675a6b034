#include "taffeta/ode/study/order.h"

#include <fmt/format.h>

#include <cmath>

#include "ode/common.h"
#include "plot.h"
#include "taffeta/base/error.h"

/// `taffeta ode order`: the order that the step tells, beside the one that is declared.
namespace taffeta::app {

namespace {

using ode::study::OrderMeasurement;
using ode::study::ProblemEntry;

struct OrderArguments {
    std::vector<std::string> methods, problems;
    bool all = false, quiet = false;
    Outputs outputs;
};

std::vector<const ProblemEntry*> ordered_problems(const std::vector<std::string>& keys) {
    std::vector<const ProblemEntry*> entries;
    for (const std::string& key : keys) {
        const ProblemEntry& entry =
            find_entry(Registry<ProblemEntry>(laboratory_problems()), "problem", key);
        entries.push_back(&entry);
    }
    if (keys.empty())
        for (const ProblemEntry* entry : laboratory_problems())
            entries.push_back(entry);
    return entries;
}

plot::Figure order_figure(const std::vector<OrderMeasurement>& rows,
                          const std::vector<const ProblemEntry*>& problems) {
    plot::Figure figure;
    figure.columns = problems.size() == 1 ? 1 : problems.size() <= 4 ? 2 : 3;
    for (const ProblemEntry* problem : problems) {
        plot::Panel panel;
        panel.title = std::string(problem->key);
        panel.x_label = "step h, s";
        panel.y_label = "error at the end";
        panel.log_x = panel.log_y = true;
        panel.y_range = {1e-14, 1e1};
        for (const OrderMeasurement& row : rows) {
            if (row.problem != problem->key) continue;
            plot::Series series{row.method, {}, {}, plot::Style::line_points};
            for (const auto& [step, error] : row.curve) {
                series.x.push_back(step);
                series.y.push_back(error <= 10 ? error : NAN);
            }
            panel.series.push_back(std::move(series));
        }
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

void measure_orders(const OrderArguments& arguments, int& exit_status) {
    arguments.outputs.check();
    if (arguments.methods.empty() && !arguments.all)
        fail_input("taffeta ode order", "no method is named",
                   "taffeta ode order rk4 bdf2, or --all for every one");
    const Methods methods = laboratory_methods(
        arguments.methods,
        {"all", "variants", "springs", "xpbd:iterations=50", "projective_dynamics:iterations=100"});
    const auto problems = ordered_problems(arguments.problems);
    Table table({"method", "problem", "declared_order", "observed_order", "evaluations_per_step",
                 "declared_evaluations", "error", "pass", "steps", "newton_residuals",
                 "residual_forces", "note"});
    std::vector<OrderMeasurement> rows;
    ProgressLine progress(stderr, arguments.quiet);
    const long total = long(methods.size() * problems.size());
    long failed = 0, idle = 0;
    for (const ode::study::ChosenMethod& method : methods)
        for (const ProblemEntry* problem : problems) {
            rows.push_back(ode::study::measure_order(method, *problem));
            const OrderMeasurement& row = rows.back();
            progress.show_work(row.method, long(rows.size()), total);
            if (!row.applies) ++idle;
            if (row.applies && !row.pass) ++failed;
            const bool newton = row.residual_forces > 0;
            table.add({cell(row.method), cell(row.problem), cell(row.declared_order),
                       cell(row.observed_order), cell(row.evaluations),
                       cell(row.declared_evaluations), cell(row.error),
                       row.applies ? cell(row.pass) : Settings(),
                       row.applies ? cell(row.steps) : Settings(),
                       newton ? cell(row.residuals) : Settings(),
                       newton ? cell(row.residual_forces) : Settings(), cell(row.note)});
        }
    progress.clear();
    fmt::print("{}{} of {} as declared", table.text(), total - idle - failed, total - idle);
    if (idle > 0) fmt::print(", {} do not apply", idle);
    fmt::print("\n");
    arguments.outputs.write(table);
    if (!arguments.outputs.plot.empty())
        plot::write(order_figure(rows, problems), arguments.outputs.plot);
    if (failed > 0) exit_status = 1;
}

}  // namespace

void add_ode_order(Command& ode, int& exit_status) {
    const auto arguments = std::make_shared<OrderArguments>();
    Command command = ode.subcommand(
        "order",
        "order and force evaluations, measured; exit status 1 where one is not as declared");
    command.option("method", arguments->methods, method_words);
    command.flag("--all", arguments->all, "every integrator, and families at their named values");
    command.option("--problems", arguments->problems, "keys; all by default").comma_separated();
    command.flag("--quiet", arguments->quiet, "no progress line");
    arguments->outputs.add_to(command);
    command.footer(
        "Example:  taffeta ode order rk4 bdf2 --problems wave,kepler --csv orders.csv\n"
        "Steps shrink until the slope of the error settles; where rounding comes first, over "
        "another\n"
        "time, as the note says. A row passes when the order is the declared one to 0.1, and "
        "when every\n"
        "step takes declared_evaluations + newton_residuals * residual_forces exactly.");
    command.action([arguments, &exit_status] { measure_orders(*arguments, exit_status); });
}

}  // namespace taffeta::app

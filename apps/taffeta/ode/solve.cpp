#include <fmt/format.h>

#include <cmath>

#include "ode/common.h"
#include "plot.h"
#include "taffeta/base/error.h"
#include "taffeta/ode/study/reference.h"
#include "taffeta/ode/study/run.h"

/// `taffeta ode solve`: a motion, by one method or several, beside the exact one.
namespace taffeta::app {

namespace {

using ode::State;
using ode::study::Problem;

struct SolveOdeArguments {
    std::vector<std::string> problems, methods, assignments;
    double step = 0, end = 0;
    long steps = 0;
    int component = 0;
    Outputs outputs;
};

/// Equal steps that end with the span: the nearest number to what was asked for.
long steps_of(const SolveOdeArguments& arguments, double span) {
    if (arguments.step == 0) return arguments.steps > 0 ? arguments.steps : 200;
    constexpr double most = 1e8;
    const double steps = span / arguments.step;
    if (!(steps >= 0.5 && steps <= most))
        fail_input(
            "--step",
            fmt::format("{:g} s in {:g} s would be {:.3g} steps", arguments.step, span, steps),
            fmt::format("1 to {:g} steps; --end changes the duration", most));
    return std::max(1L, std::lround(steps));
}

plot::Panel empty_panel(const Problem& problem, const std::string& doc, int component) {
    plot::Panel panel;
    // The equation, which the line about a problem begins with where it has a short one.
    const std::string equation = doc.substr(0, doc.find(','));
    panel.title = problem.key;
    if (equation.find('=') != std::string::npos) panel.title += ":  " + equation;
    panel.x_label = "time, s";
    panel.y_label = problem.names[std::min(std::size_t(component), problem.names.size() - 1)];
    return panel;
}

/// The exact motion, sampled densely; the span is that of the runs.
plot::Series exact_series(Problem& problem, int component, double end) {
    plot::Series series{"exact", {}, {}, plot::Style::line, false, false, 6};
    if (!problem.exact) return series;
    for (int i = 0; i <= 300; ++i) {
        const double t = problem.start.t + (end - problem.start.t) * i / 300;
        series.x.push_back(t);
        series.y.push_back(problem.values(problem.exact(t))[component]);
    }
    return series;
}

void add_rows(Table& rows, const Problem& problem, const std::string& method,
              const std::vector<State>& states) {
    for (const State& state : states) {
        const VecX& values = problem.values(state);
        for (Eigen::Index i = 0; i < std::min<Eigen::Index>(values.size(), 12); ++i)
            rows.add({cell(problem.key), cell(method), cell(state.t), cell(long(i)),
                      cell(values[i]), problem.first_order ? Settings() : cell(state.v[i])});
    }
}

void solve_problems(const SolveOdeArguments& arguments, int& exit_status) {
    arguments.outputs.check();
    const Methods methods = laboratory_methods(arguments.methods, {"rk4"});
    Table summary(
        {"problem", "method", "steps", "h", "t", "value", "error", "evaluations", "note"});
    Table rows({"problem", "method", "t", "component", "value", "rate"});
    plot::Figure figure;
    figure.columns = 2;
    if (arguments.problems.size() == 1) figure.width = 760, figure.height = 480;
    for (const std::string& key : arguments.problems) {
        const auto problem = laboratory_problem(key, arguments.assignments);
        if (arguments.end > 0) problem->end = problem->start.t + arguments.end;
        if (arguments.component >= problem->values(problem->start).size())
            fail_input("--component", fmt::format("{} has the components 0 to {}", key,
                                                  problem->values(problem->start).size() - 1));
        const auto exact = ode::study::reference_state(*problem, problem->end, 1e-10);
        const auto& entry =
            find_entry(Registry<ode::study::ProblemEntry>(laboratory_problems()), "problem", key);
        plot::Panel panel = empty_panel(*problem, std::string(entry.doc), arguments.component);
        panel.series.push_back(exact_series(*problem, arguments.component, problem->end));
        if (panel.series[0].x.empty()) panel.series.clear();
        const long steps = steps_of(arguments, problem->end - problem->start.t);
        for (const ode::study::ChosenMethod& method : methods) {
            std::vector<State> states;
            const auto made = ode::study::run(*problem, method, problem->end, steps,
                                              [&](const State& state) { states.push_back(state); });
            if (!made.ok) exit_status = 1;
            const double h = (problem->end - problem->start.t) / double(steps);
            summary.add({cell(key), cell(method.label), cell(steps), cell(h), cell(made.end.t),
                         cell(problem->values(made.end)[arguments.component]),
                         cell(made.ok ? problem->distance(made.end, exact.state) : NAN),
                         cell(double(made.counts.forces) / double(std::max(1L, made.counts.steps))),
                         cell(made.message)});
            if (!arguments.outputs.csv.empty() || !arguments.outputs.json.empty())
                add_rows(rows, *problem, method.label, states);
            plot::Series series{method.label, {}, {}};
            series.style = steps <= 60 ? plot::Style::line_points : plot::Style::line;
            for (const State& state : thinned(states)) {
                series.x.push_back(state.t);
                series.y.push_back(problem->values(state)[arguments.component]);
            }
            panel.series.push_back(std::move(series));
        }
        figure.panels.push_back(std::move(panel));
    }
    fmt::print("{}", summary.text());
    arguments.outputs.write(rows);
    if (!arguments.outputs.plot.empty()) plot::write(figure, arguments.outputs.plot);
}

}  // namespace

void add_ode_solve(Command& ode, int& exit_status) {
    const auto arguments = std::make_shared<SolveOdeArguments>();
    Command command = ode.subcommand("solve", "solve problems; rows are the motion, step by step");
    command.option("problem", arguments->problems, "keys; see taffeta ode list problems")
        .required();
    command.option("--methods", arguments->methods, std::string(method_words) + "; rk4 by default")
        .comma_separated();
    command.option("--step", arguments->step, "s").positive();
    command.option("--steps", arguments->steps, "instead of --step; 200 by default").positive();
    command.option("--end", arguments->end, "duration, s; the problem's own by default").positive();
    command.option("--component", arguments->component, "to print and draw, from 0")
        .within(0, 1000000);
    command.option("--set", arguments->assignments, "option=value of the problem").repeatable();
    arguments->outputs.add_to(command);
    command.footer(
        "Example:  taffeta ode solve pendulum --methods velocity_verlet,backward_euler --step 0.05 "
        "--plot pendulum.svg");
    command.action([arguments, &exit_status] { solve_problems(*arguments, exit_status); });
}

}  // namespace taffeta::app

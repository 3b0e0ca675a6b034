#include "taffeta/ode/study/work_precision.h"

#include <fmt/format.h>

#include <cmath>

#include "ode/common.h"
#include "plot.h"
#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"
#include "taffeta/ode/study/reference.h"

/// `taffeta ode work-precision`: what an error costs. [Hauth03] figures 3, 5 and 7.
namespace taffeta::app {

namespace {

using ode::study::WorkPoint;

struct WorkArguments {
    std::vector<std::string> problems, methods, assignments;
    std::vector<int> steps;
    int repeats = 5, threads = 1;
    std::string work = "flops";
    double tolerance = 1e-10;
    bool quiet = false;
    Outputs outputs;
};

const std::vector<std::string> usual_methods = {
    "explicit_euler", "explicit_midpoint", "rk4", "velocity_verlet",
    "backward_euler", "implicit_midpoint", "bdf2"};

double work_of(const WorkPoint& point, const std::string& axis) {
    return axis == "seconds"       ? point.seconds
           : axis == "evaluations" ? double(point.counts.forces)
                                   : point.flops;
}

std::string axis_label(const std::string& axis) {
    return axis == "seconds"       ? "time, s"
           : axis == "evaluations" ? "force evaluations"
                                   : "floating-point operations";
}

plot::Panel work_panel(const std::string& key, const Methods& methods,
                       const std::vector<WorkPoint>& points, const std::string& axis) {
    plot::Panel panel;
    panel.title = key;
    panel.x_label = axis_label(axis);
    panel.y_label = "relative error at the end";
    panel.log_x = panel.log_y = true;
    panel.y_range = {NAN, 3};
    for (const ode::study::ChosenMethod& method : methods) {
        plot::Series series{method.label, {}, {}, plot::Style::line_points};
        for (const WorkPoint& point : points)
            if (point.method == method.label) {
                series.x.push_back(work_of(point, axis));
                series.y.push_back(point.ok && point.error <= 3 ? point.error : NAN);
            }
        panel.series.push_back(std::move(series));
    }
    return panel;
}

/// A sentence about the runs that failed, and an exit status where a method has none that did not.
void report_failures(const Methods& methods, const std::string& problem,
                     const std::vector<WorkPoint>& points, int& exit_status) {
    for (const ode::study::ChosenMethod& method : methods) {
        long runs = 0, failed = 0;
        std::string why;
        for (const WorkPoint& point : points) {
            if (point.method != method.label) continue;
            ++runs;
            if (point.ok) continue;
            ++failed;
            if (why.empty()) why = point.message;
        }
        if (failed == 0) continue;
        if (failed == runs) exit_status = 1;
        fmt::print("{} on {}: {} of {} runs failed, the first because {}\n", method.label, problem,
                   failed, runs, why);
    }
}

void measure_all(const WorkArguments& arguments, int& exit_status) {
    arguments.outputs.check();
    set_thread_count(arguments.threads);
    const Methods methods = laboratory_methods(arguments.methods, usual_methods);
    Table table({"problem", "method", "steps", "h", "error", "evaluations", "solves",
                 "newton_iterations", "flops", "seconds", "note"});
    std::vector<std::pair<std::string, std::vector<WorkPoint>>> results;
    plot::Figure figure;
    figure.columns = arguments.problems.size() == 1 ? 1 : 2;
    if (figure.columns == 1) figure.width = 720, figure.height = 480;
    ProgressLine progress(stderr, arguments.quiet);
    for (const std::string& key : arguments.problems) {
        const auto problem = laboratory_problem(key, arguments.assignments);
        const auto exact = ode::study::reference_state(*problem, problem->end);
        if (!exact.ok) fail_input(key, exact.message, "a shorter end helps");
        ode::study::WorkOptions options;
        options.repeats = arguments.repeats;
        options.newton.tolerance = arguments.tolerance;
        for (const int steps : arguments.steps)
            options.steps.push_back(steps);
        if (options.steps.empty()) {
            const auto& entry = find_entry(
                Registry<ode::study::ProblemEntry>(laboratory_problems()), "problem", key);
            for (int i = 0; i < 9; ++i)
                options.steps.push_back(long(entry.properties.first_steps) << i);
        }
        const auto points =
            measure_work(*problem, exact.state, methods, options, [&](long done, long total) {
                progress.show_work(key, done, total);
                return true;
            });
        for (const WorkPoint& p : points)
            table.add({cell(key), cell(p.method), cell(p.steps), cell(p.h),
                       cell(p.ok ? p.error : NAN), cell(p.counts.forces), cell(p.counts.solves),
                       cell(p.counts.newtons), cell(p.flops), cell(p.ok ? p.seconds : NAN),
                       cell(p.message)});
        figure.panels.push_back(work_panel(key, methods, points, arguments.work));
        results.emplace_back(key, points);
    }
    progress.clear();
    fmt::print("{}", table.text());
    for (const auto& [key, points] : results)
        report_failures(methods, key, points, exit_status);
    arguments.outputs.write(table);
    if (!arguments.outputs.plot.empty()) plot::write(figure, arguments.outputs.plot);
}

}  // namespace

void add_ode_work_precision(Command& ode, int& exit_status) {
    const auto arguments = std::make_shared<WorkArguments>();
    Command command = ode.subcommand(
        "work-precision", "what an error costs; exit status 1 where all runs of a method fail");
    command.option("problem", arguments->problems, "keys; see taffeta ode list problems")
        .required();
    command
        .option("--methods", arguments->methods,
                std::string(method_words) + "; a usual choice by default")
        .comma_separated();
    command.option("--steps", arguments->steps, "numbers of steps; nine doublings by default")
        .comma_separated()
        .positive();
    command.option("--repeats", arguments->repeats, "timed runs, of which the median counts")
        .within(1, 1000)
        .show_default();
    command.option("--newton", arguments->tolerance, "tolerance of Newton's iteration")
        .within(1e-15, 1.0)
        .show_default();
    command.option("--work", arguments->work, "of the picture: evaluations, flops or seconds")
        .one_of({"evaluations", "flops", "seconds"})
        .show_default();
    command.option("--threads", arguments->threads, "0: all cores").within(0, 1024).show_default();
    command.option("--set", arguments->assignments, "option=value of the problem").repeatable();
    command.flag("--quiet", arguments->quiet, "no progress line");
    arguments->outputs.add_to(command);
    command.footer(
        "Example:  taffeta ode work-precision wave --methods rk4,bdf2,velocity_verlet --plot "
        "wave.svg\n"
        "flops are the problem's estimate: of a force, its slopes, products and solves as often "
        "as\n"
        "the method asks for them, and 10 operations an unknown and force for the method itself.");
    command.action([arguments, &exit_status] { measure_all(*arguments, exit_status); });
}

}  // namespace taffeta::app

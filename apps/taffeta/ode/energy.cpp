#include <fmt/format.h>

#include <cmath>

#include "ode/common.h"
#include "plot.h"
#include "taffeta/base/error.h"
#include "taffeta/ode/study/conservation.h"

/// `taffeta ode energy`: what a method keeps of energy, momenta and the symplectic form.
namespace taffeta::app {

namespace {

using ode::State;
using ode::study::Problem;

struct EnergyArguments {
    std::string problem = "spring_1d";
    std::vector<std::string> methods, assignments;
    std::vector<double> steps_size = {0.2, 1.0};
    long steps = 0;
    bool quiet = false;
    Outputs outputs;
};

/// The methods of [Slides] that are registered.
const std::vector<std::string> slide_methods = {
    "explicit_euler",  "backward_euler",   "symplectic_euler_a", "explicit_midpoint", "rk4",
    "velocity_verlet", "implicit_midpoint"};

/// Positions and energies of a run, for the picture; a run that leaves the range ends there.
void add_curves(const ode::study::ChosenMethod& method, Problem& problem, double h, long steps,
                plot::Panel& places, plot::Panel& energies) {
    plot::Series place{method.label, {}, {}}, energy{method.label, {}, {}};
    std::vector<State> states;
    const long stride = std::max(1L, steps / 500);
    long count = 0;
    ode::study::run(problem, method, problem.start.t + h * double(steps), steps,
                    [&](const State& state) {
                        if (count++ % stride == 0) states.push_back(state);
                    });
    const double E0 = std::abs(problem.energy(problem.start));
    for (const State& state : states) {
        place.x.push_back(state.t);
        energy.x.push_back(state.t);
        place.y.push_back(problem.values(state)[0]);
        energy.y.push_back(problem.energy(state) / (E0 > 0 ? E0 : 1));
    }
    places.series.push_back(std::move(place));
    energies.series.push_back(std::move(energy));
}

/// A vertical range about what an exact motion does; what leaves it is cut.
plot::Range place_range(const plot::Series& exact) {
    if (exact.y.empty()) return {};
    const auto [low, high] = std::minmax_element(exact.y.begin(), exact.y.end());
    const double margin = 0.5 * std::max(1e-9, *high - *low);
    return {*low - margin, *high + margin};
}

plot::Figure energy_figure(const EnergyArguments& arguments, const Methods& methods,
                           Problem& problem) {
    plot::Figure figure;
    figure.columns = int(arguments.steps_size.size());
    figure.width = std::max(720, 480 * figure.columns);
    std::vector<plot::Panel> places, energies;
    for (const double h : arguments.steps_size) {
        plot::Panel place{.title = fmt::format("{}, h = {:g} s", problem.key, h)}, energy;
        place.x_label = energy.x_label = "time, s";
        place.y_label = problem.names[0] + ", m";
        energy.y_label =
            problem.energy(problem.start) != 0 ? "energy / |energy at the start|" : "energy, J";
        const long steps = arguments.steps > 0 ? arguments.steps : std::lround(30 / h);
        const double end = problem.start.t + h * double(steps);
        if (problem.exact) {
            plot::Series exact{"exact", {}, {}, plot::Style::line, true, true, 6};
            for (int i = 0; i <= 500; ++i) {
                const double t = problem.start.t + (end - problem.start.t) * i / 500;
                exact.x.push_back(t);
                exact.y.push_back(problem.values(problem.exact(t))[0]);
            }
            place.y_range = place_range(exact);
            place.series.push_back(std::move(exact));
        }
        for (const ode::study::ChosenMethod& method : methods)
            add_curves(method, problem, h, steps, place, energy);
        const double E0 = problem.energy(problem.start);
        energy.y_range = E0 >= 0 ? plot::Range{0, 2.5} : plot::Range{-1.4, -0.7};
        if (E0 == 0) energy.y_range = {};
        places.push_back(std::move(place));
        energies.push_back(std::move(energy));
    }
    figure.panels = places;
    figure.panels.insert(figure.panels.end(), energies.begin(), energies.end());
    return figure;
}

void study_energy(const EnergyArguments& arguments, int& exit_status) {
    arguments.outputs.check();
    const Methods methods = laboratory_methods(arguments.methods, slide_methods);
    const auto problem = laboratory_problem(arguments.problem, arguments.assignments);
    if (!problem->energy)
        fail_input(arguments.problem, "this problem has no energy",
                   "spring_1d, spring_3d, pendulum, kepler, free_fall and wave have");
    Table table({"method", "h", "steps", "lowest_energy", "highest_energy", "last_energy",
                 "energy_unit", "momentum_error", "momentum_unit", "angular_momentum_error",
                 "angular_momentum_unit", "flow_determinant", "symplectic_defect", "note"});
    ProgressLine progress(stderr, arguments.quiet);
    long done = 0;
    const long total = long(methods.size() * arguments.steps_size.size());
    for (const ode::study::ChosenMethod& method : methods)
        for (const double h : arguments.steps_size) {
            const long steps = arguments.steps > 0 ? arguments.steps : 1000;
            const auto m = ode::study::measure_conservation(method, *problem, h, steps);
            double determinant = NAN, defect = NAN;
            if (problem->start.x.size() <= 12) {
                const auto s = ode::study::measure_symplecticity(method, *problem, h, 3);
                determinant = s.ok ? s.determinant : NAN;
                defect = s.ok ? s.defect : NAN;
            }
            if (!m.ok) exit_status = 1;
            const auto unit = [](double value, bool relative, const char* start, const char* si) {
                return std::isnan(value) ? Settings() : cell(relative ? start : si);
            };
            table.add(
                {cell(m.method), cell(h), cell(m.steps), cell(m.lowest_energy),
                 cell(m.highest_energy), cell(m.last_energy),
                 cell(m.energy_relative ? "|E(0)|" : "J"), cell(m.momentum_error),
                 unit(m.momentum_error, m.momentum_relative, "|P(0)|", "N s"),
                 cell(m.angular_momentum_error),
                 unit(m.angular_momentum_error, m.angular_momentum_relative, "|L(0)|", "N m s"),
                 cell(determinant), cell(defect), cell(m.message)});
            progress.show_work(m.method, ++done, total);
        }
    progress.clear();
    fmt::print("{}", table.text());
    arguments.outputs.write(table);
    if (!arguments.outputs.plot.empty())
        plot::write(energy_figure(arguments, methods, *problem), arguments.outputs.plot);
}

}  // namespace

void add_ode_energy(Command& ode, int& exit_status) {
    const auto arguments = std::make_shared<EnergyArguments>();
    Command command =
        ode.subcommand("energy", "energy, momenta and the symplectic form over many steps");
    command.option("problem", arguments->problem, "one with an energy").show_default();
    command
        .option("--methods", arguments->methods,
                std::string(method_words) + "; those of the slides by default")
        .comma_separated();
    command.option("--step", arguments->steps_size, "one or more, s")
        .comma_separated()
        .positive()
        .show_default();
    command.option("--steps", arguments->steps, "1000 by default; in the picture 30 s").positive();
    command.option("--set", arguments->assignments, "option=value of the problem").repeatable();
    command.flag("--quiet", arguments->quiet, "no progress line");
    arguments->outputs.add_to(command);
    command.footer(
        "Example:  taffeta ode energy kepler --methods rk4,velocity_verlet --step 0.05 --steps "
        "100000\n"
        "Energies are over |E| of the start, errors of momenta over their size there, or, where "
        "that is 0,\n"
        "in J, N s and N m s, as the units say. The flow's Jacobian over three steps\n"
        "has the determinant 1 where volume is kept, and no defect where the method is "
        "symplectic.");
    command.action([arguments, &exit_status] { study_energy(*arguments, exit_status); });
}

}  // namespace taffeta::app

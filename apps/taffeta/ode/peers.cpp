#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ode/common.h"
#include "peer_modules.h"
#include "plot.h"
#include "taffeta/base/error.h"
#include "taffeta/base/timer.h"
#include "taffeta/ode/adaptive.h"
#include "taffeta/ode/study/reference.h"
#include "taffeta/ode/study/run.h"

/// `taffeta ode peers`: adaptive integrators by others beside ours, at equal tolerances.
namespace taffeta::app {

namespace {

using ode::State;

struct PeerArguments {
    std::vector<std::string> problems, methods, assignments;
    std::vector<double> tolerances;
    int repeats = 5;
    std::string work = "both";
    bool quiet = false;
    Outputs outputs;
};

struct PeerRow {
    std::string problem, method;
    double tolerance = 0, error = 0;
    long evaluations = 0, linearisations = 0, steps = 0, rejected = 0;
    std::vector<double> seconds = {};
    std::string note = {};

    double median_seconds() const {
        std::vector<double> sorted = seconds;
        std::ranges::sort(sorted);
        return sorted.empty() ? NAN : sorted[sorted.size() / 2];
    }
};

/// A problem of the study as y' = f(t, y): y is v, or x_0 v_0 x_1 v_1 ...
class FlatProblem {
  public:
    explicit FlatProblem(ode::study::Problem& problem)
        : problem_(problem), system_(*problem.system), n_(int(problem.system->size())) {
        const State& start = problem.start;
        x_ = start.x;
        v_ = start.v;
        flat_.start.resize(std::size_t(problem.first_order ? n_ : 2 * n_));
        pack(start, flat_.start.data());
        flat_.from = start.t;
        flat_.to = problem.end;
        find_band();
        flat_.rate = [this](double t, const double* y, double* out) { rate(t, y, out); };
        flat_.jacobian = [this](double t, const double* y, const auto& entry) {
            jacobian(t, y, entry);
        };
    }

    const OdePeerProblem& flat() const { return flat_; }
    State state(double t, const std::vector<double>& y) {
        unpack(y.data());
        return {t, x_, v_};
    }

  private:
    void pack(const State& state, double* y) const {
        for (int i = 0; i < n_; ++i) {
            if (problem_.first_order) {
                y[i] = state.v[i];
            } else {
                y[2 * i] = state.x[i];
                y[2 * i + 1] = state.v[i];
            }
        }
    }
    void unpack(const double* y) {
        for (int i = 0; i < n_; ++i) {
            if (!problem_.first_order) x_[i] = y[2 * i];
            v_[i] = problem_.first_order ? y[i] : y[2 * i + 1];
        }
    }
    void rate(double t, const double* y, double* out) {
        unpack(y);
        system_.force(t, x_, v_, f_);
        system_.solve_mass(f_, a_);
        for (int i = 0; i < n_; ++i) {
            if (problem_.first_order) {
                out[i] = a_[i];
            } else {
                out[2 * i] = v_[i];
                out[2 * i + 1] = a_[i];
            }
        }
    }
    /// The half bandwidth of K and D in the order of the unknowns, from all of their columns.
    void find_band() {
        system_.linearize(flat_.from, x_, v_, nullptr);
        VecX unit = VecX::Zero(n_);
        for (int j = 0; j < n_; ++j) {
            unit[j] = 1;
            for (const ode::Coefficients& c : {stiffness, damping}) {
                system_.apply(c, unit, column_);
                for (int i = 0; i < n_; ++i)
                    if (column_[i] != 0) half_ = std::max(half_, std::abs(i - j));
            }
            unit[j] = 0;
        }
        flat_.band = problem_.first_order ? half_ : 2 * half_ + 1;
    }
    /// Columns further apart than the band share a product. [CurtisPowellReid74]
    template <class Entry>
    void jacobian(double t, const double* y, const Entry& entry) {
        unpack(y);
        system_.linearize(t, x_, v_, nullptr);
        const int apart = 2 * half_ + 1;
        VecX units(n_);
        for (int first = 0; first < std::min(apart, n_); ++first) {
            units.setZero();
            for (int j = first; j < n_; j += apart)
                units[j] = 1;
            for (int part = problem_.first_order ? 1 : 0; part < 2; ++part) {
                system_.apply(part == 0 ? stiffness : damping, units, column_);
                system_.solve_mass(column_, a_);
                for (int j = first; j < n_; j += apart)
                    for (int i = std::max(0, j - half_); i <= std::min(n_ - 1, j + half_); ++i)
                        if (problem_.first_order) {
                            entry(i, j, -a_[i]);
                        } else {
                            entry(2 * i + 1, 2 * j + part, -a_[i]);
                        }
            }
        }
        if (!problem_.first_order)
            for (int i = 0; i < n_; ++i)
                entry(2 * i, 2 * i + 1, 1);
    }

    static constexpr ode::Coefficients stiffness{.m = 0, .d = 0, .k = 1};
    static constexpr ode::Coefficients damping{.m = 0, .d = 1, .k = 0};

    ode::study::Problem& problem_;
    ode::SecondOrderSystem& system_;
    int n_, half_ = 0;
    OdePeerProblem flat_;
    VecX x_, v_, f_, a_, column_;
};

void run_ours(ode::study::Problem& problem, const ode::study::ChosenMethod& method, PeerRow& row,
              State& end) {
    ode::AdaptiveOptions options;
    options.relative_tolerance = options.absolute_position = options.absolute_velocity =
        row.tolerance;
    options.smallest_step = 1e-13;
    ode::NewtonOptions newton;
    newton.tolerance = std::min(1e-6, 1e-2 * row.tolerance);
    newton.max_iterations = 50;
    const auto integrator = method.make(newton);
    ode::AdaptiveRun run(*integrator, method.properties, options);
    end = problem.start;
    const Timer timer;
    const ode::AdaptiveReport report =
        run.run(*problem.system, end, {{problem.end}}, [](const State&) {});
    row.seconds.push_back(timer.seconds());
    row.evaluations = report.force_evaluations;
    row.linearisations = report.linear_solves;
    row.steps = report.accepted;
    row.rejected = report.rejected + report.failed;
    row.note = report.solve.message;
}

void run_theirs(FlatProblem& flat, const OdePeerModule& module, PeerRow& row, State& end) {
    const OdePeerAnswer answer =
        module.solve(row.method, flat.flat(), row.tolerance, row.tolerance);
    end = flat.state(flat.flat().to, answer.y);
    row.seconds.push_back(answer.seconds);
    row.evaluations = answer.evaluations;
    row.linearisations = answer.jacobians;
    row.steps = answer.steps;
    row.rejected = answer.rejected;
    row.note = answer.failure;
}

plot::Panel peer_panel(const std::string& problem, const std::vector<PeerRow>& rows,
                       const std::string& work) {
    plot::Panel panel;
    panel.title = problem;
    panel.x_label = work == "seconds" ? "time, s" : "force evaluations";
    panel.y_label = "relative error at the end";
    panel.log_x = panel.log_y = true;
    for (const PeerRow& row : rows) {
        if (row.problem != problem) continue;
        if (panel.series.empty() || panel.series.back().label != row.method)
            panel.series.push_back({row.method, {}, {}, plot::Style::line_points});
        panel.series.back().x.push_back(work == "seconds" ? row.median_seconds()
                                                          : double(row.evaluations));
        panel.series.back().y.push_back(row.note.empty() && row.error > 0 ? row.error : NAN);
    }
    return panel;
}

void compare_with_peers(const PeerArguments& arguments) {
    arguments.outputs.check();
    const LoadedOdePeer peer = load_sundials();
    if (!peer.module) fail_input("SUNDIALS", peer.lack);
    const Methods methods = laboratory_methods(
        arguments.methods, {"bdf2", "dormand_prince54", "adams_pece5", "bulirsch_stoer"});
    for (const ode::study::ChosenMethod& method : methods)
        if (!method.properties.estimates_error)
            fail_input("--methods",
                       fmt::format("'{}' estimates no error to adapt its steps by", method.label));
    std::vector<double> tolerances = arguments.tolerances;
    if (tolerances.empty()) tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    std::vector<PeerRow> rows;
    plot::Figure figure;
    figure.columns = arguments.problems.size() == 1 && arguments.work != "both" ? 1 : 2;
    ProgressLine progress(stderr, arguments.quiet);
    for (const std::string& key : arguments.problems) {
        const auto problem = laboratory_problem(key, arguments.assignments);
        if (problem->prepare)
            fail_input(key, "has constraints, which integrators by others do not know");
        const auto exact = ode::study::reference_state(*problem, problem->end);
        if (!exact.ok) fail_input(key, exact.message, "a shorter end helps");
        FlatProblem flat(*problem);
        std::vector<PeerRow> here;
        for (const ode::study::ChosenMethod& method : methods)
            for (const double tolerance : tolerances)
                here.push_back({.problem = key, .method = method.label, .tolerance = tolerance});
        const std::size_t ours = here.size();
        for (const std::string& method : peer.module->methods)
            for (const double tolerance : tolerances)
                here.push_back({.problem = key, .method = method, .tolerance = tolerance});
        // Round by round over all, so that a change of the machine's mood meets all alike.
        long done = 0;
        for (int round = 0; round < arguments.repeats; ++round)
            for (std::size_t k = 0; k < here.size(); ++k) {
                State end;
                if (k < ours) {
                    run_ours(*problem, methods[k / tolerances.size()], here[k], end);
                } else {
                    run_theirs(flat, *peer.module, here[k], end);
                }
                here[k].error = problem->distance(end, exact.state) / problem->size(exact.state);
                progress.show_work(key, ++done, long(here.size()) * arguments.repeats);
            }
        rows.insert(rows.end(), here.begin(), here.end());
        if (arguments.work != "seconds")
            figure.panels.push_back(peer_panel(key, here, "evaluations"));
        if (arguments.work != "evaluations")
            figure.panels.push_back(peer_panel(key, here, "seconds"));
    }
    progress.clear();
    Table table({"problem", "method", "tolerance", "error", "evaluations", "linearisations",
                 "steps", "rejected", "seconds", "note"});
    for (const PeerRow& row : rows)
        table.add({cell(row.problem), cell(row.method), cell(row.tolerance), cell(row.error),
                   cell(row.evaluations), cell(row.linearisations), cell(row.steps),
                   cell(row.rejected), cell(row.median_seconds()), cell(row.note)});
    fmt::print("{}SUNDIALS {}\n", table.text(), peer.module->version);
    arguments.outputs.write(table);
    if (!arguments.outputs.plot.empty()) plot::write(figure, arguments.outputs.plot);
}

}  // namespace

void add_ode_peers(Command& ode, int&) {
    const auto arguments = std::make_shared<PeerArguments>();
    Command command = ode.subcommand(
        "peers", "adaptive steps beside CVODE and ARKODE of SUNDIALS, at equal tolerances");
    command.option("problem", arguments->problems, "keys; see taffeta ode list problems")
        .required();
    command.option("--methods", arguments->methods, "ours, that estimate their error")
        .comma_separated();
    command.option("--tolerances", arguments->tolerances, "relative and absolute; 1e-3 to 1e-8")
        .comma_separated()
        .positive();
    command.option("--repeats", arguments->repeats, "timed runs, of which the median counts")
        .within(1, 1000)
        .show_default();
    command.option("--work", arguments->work, "of the picture: evaluations, seconds or both")
        .one_of({"evaluations", "seconds", "both"})
        .show_default();
    command.option("--set", arguments->assignments, "option=value of the problem").repeatable();
    command.flag("--quiet", arguments->quiet, "no progress line");
    arguments->outputs.add_to(command);
    command.footer(
        "Example:  taffeta ode peers kepler spring_sheet --plot peers.svg\n"
        "SUNDIALS must have been there when Taffeta was built (libsundials-dev). Its methods take\n"
        "y' = f(t, y) with banded Jacobians; linearisations are its Jacobians, and our solves.");
    command.action([arguments] { compare_with_peers(*arguments); });
}

}  // namespace taffeta::app

#include "taffeta/ode/adaptive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/error.h"

namespace taffeta::ode {

Fields<AdaptiveOptions> AdaptiveOptions::fields() {
    using Options = AdaptiveOptions;
    return {
        {"control", &Options::control, "by the local error or by Newton's iterations",
         one_of({"error", "newton"})},
        {"relative_tolerance", &Options::relative_tolerance,
         "allowed error of a step over the size of what errs", between(0, 1)},
        {"absolute_position", &Options::absolute_position, "allowed error of a step besides, m",
         at_least(0)},
        {"absolute_velocity", &Options::absolute_velocity, "allowed error of a step besides, m/s",
         at_least(0)},
        {"per_run", &Options::per_run,
         "the tolerances are for the whole run, of which each step has its share"},
        {"first_step", &Options::first_step, "s; 0: from the forces at the start", at_least(0)},
        {"smallest_step", &Options::smallest_step, "s; a run that needs less stops", positive()},
        {"largest_step", &Options::largest_step, "s; 0: any", at_least(0)},
        {"safety", &Options::safety, "share of the step that would just do", between(0.1, 1)},
        {"largest_growth", &Options::largest_growth, "of a step over the one before", at_least(1)},
        {"grow_at", &Options::grow_at, "iterations up to which the step grows", at_least(0)},
        {"shrink_at", &Options::shrink_at, "iterations from which the step is halved", at_least(1)},
        {"newton_growth", &Options::newton_growth, "factor then", at_least(1)},
        {"max_steps", &Options::max_steps, "hard limit of tries", at_least(1)},
    };
}

AdaptiveRun::AdaptiveRun(Integrator& integrator, const IntegratorProperties& properties,
                         const AdaptiveOptions& options)
    : integrator_(integrator), options_(options) {
    if (options_.control == "newton" && (!properties.implicit || properties.linearised))
        fail_input("integrator", "has no Newton iterations to control the step by",
                   "control the step by \"error\"");
    if (options_.largest_step > 0 && options_.largest_step < options_.smallest_step)
        fail_input("largest_step", fmt::format("{:.3g} s is below the smallest step of {:.3g} s",
                                               options_.largest_step, options_.smallest_step));
    if (options_.relative_tolerance <= 0 &&
        (options_.absolute_position <= 0 || options_.absolute_velocity <= 0))
        fail_input("relative_tolerance", "nothing is allowed to err: all tolerances are 0");
    if (options_.grow_at >= options_.shrink_at)
        fail_input("grow_at", fmt::format("{} is not below shrink_at, {}", options_.grow_at,
                                          options_.shrink_at));
}

AdaptiveReport AdaptiveRun::run(SecondOrderSystem& system, State& state,
                                std::span<const double> times, const Output& output) {
    report_ = {};
    last_power_ = 0;
    last_step_ = 0;
    cautious_ = false;
    for (std::size_t i = 0; i < times.size(); ++i)
        if (!(times[i] >= (i > 0 ? times[i - 1] : state.t)))
            fail_input("times", fmt::format("time {} of the outputs, {:.6g} s, does not ascend", i,
                                            times[i]));
    std::size_t next = 0;
    while (next < times.size() && times[next] == state.t)
        output(state), ++next;
    if (next == times.size()) return report_;
    const double end = times.back(), length = end - state.t;
    double wanted =
        options_.first_step > 0 ? options_.first_step : first_step(system, state, length);

    while (state.t < end) {
        const long tries = report_.accepted + report_.rejected + report_.failed;
        if (double(tries) >= options_.max_steps) {
            report_.solve.status = SolveStatus::max_iterations;
            report_.solve.message = fmt::format(
                "{} steps led to t = {:.6g} s only, not to {:.6g} s", tries, state.t, end);
            return report_;
        }
        if (options_.largest_step > 0) wanted = std::min(wanted, options_.largest_step);
        if (last_step_ > 0)
            wanted = std::min(wanted, last_step_ * std::min(options_.largest_growth,
                                                            integrator_.largest_growth()));
        const double h = fitted(wanted, end - state.t);
        begin_ = state;
        const std::vector<char> memory = integrator_.save();
        const StepReport step = integrator_.step(system, state, h);
        count(step);
        if (!step.ok()) {
            ++report_.failed;
            cautious_ = true;
            wanted = 0.5 * h;
            if (too_small(wanted, "the step fails", step.solve.message)) return report_;
            continue;
        }

        bool accept = true;
        const double factor = options_.control == "error"
                                  ? control_by_error(state, h, length, accept)
                                  : control_by_newton(step);
        wanted = h * factor;
        if (!accept) {
            state = begin_;
            integrator_.load(memory);
            ++report_.rejected;
            cautious_ = true;
            if (too_small(wanted, "the error is above the tolerance", "")) return report_;
            continue;
        }
        if (h == end - begin_.t) state.t = end;
        const bool last = state.t >= end;
        ++report_.accepted;
        if (!last || report_.accepted == 1) {
            report_.smallest_step =
                report_.smallest_step > 0 ? std::min(report_.smallest_step, h) : h;
            report_.largest_step = std::max(report_.largest_step, h);
        }
        last_step_ = h;
        cautious_ = false;
        wanted = std::max(wanted, options_.smallest_step);
        if (!give_outputs(system, state, times, next, output)) return report_;
    }
    return report_;
}

double AdaptiveRun::first_step(SecondOrderSystem& system, const State& state, double length) {
    // A hundredth of the time in which (x, v) changes by its own size at the rate (v, a).
    VecX force, a;
    system.force(state.t, state.x, state.v, force);
    ++report_.force_evaluations;
    double step = 1e-3 * length;
    if (system.solve_mass(force, a).ok()) {
        const double size = std::hypot(state.x.norm(), state.v.norm());
        const double rate = std::hypot(state.v.norm(), a.norm());
        if (size > 0 && rate > 0 && std::isfinite(rate)) step = std::min(step, 0.01 * size / rate);
    }
    return std::max(step, options_.smallest_step);
}

double AdaptiveRun::fitted(double wanted, double left) const {
    if (wanted >= left * (1 - 1e-9)) return left;
    return wanted > 0.5 * left ? 0.5 * left : wanted;
}

double AdaptiveRun::error_norm(const ErrorEstimate& error, const State& begin,
                               const State& end) const {
    const double relative = options_.relative_tolerance;
    double sum = 0;
    for (Eigen::Index i = 0; i < end.x.size(); ++i) {
        const double x = options_.absolute_position +
                         relative * std::max(std::abs(begin.x[i]), std::abs(end.x[i]));
        const double v = options_.absolute_velocity +
                         relative * std::max(std::abs(begin.v[i]), std::abs(end.v[i]));
        const double ex = error.x[i] == 0 ? 0 : error.x[i] / x;
        const double ev = error.v[i] == 0 ? 0 : error.v[i] / v;
        sum += ex * ex + ev * ev;
    }
    return std::sqrt(sum / (2 * double(std::max<Eigen::Index>(1, end.x.size()))));
}

double AdaptiveRun::control_by_error(const State& end, double h, double length, bool& accept) {
    const ErrorEstimate* estimate = integrator_.local_error();
    if (!estimate)
        fail_input("integrator", "estimates no local error to control the step by",
                   "an implicit one can be controlled by \"newton\"");
    double error = error_norm(*estimate, begin_, end), power = estimate->power;
    if (options_.per_run) {
        error *= length / h;
        power -= 1;
    }
    accept = error <= 1;
    if (!accept) {
        const double factor = options_.safety * std::pow(error, -1 / power);
        return std::isfinite(error) ? std::clamp(factor, 0.1, 0.9) : 0.1;
    }
    report_.largest_error = std::max(report_.largest_error, error);
    error = std::max(error, 1e-10);
    // An error much below the tolerance says little of a trend, another estimator's says nothing.
    const double before = power == last_power_ ? std::max(last_error_, 1e-4) : error;
    double factor = options_.safety * std::pow(error, -0.7 / power) * std::pow(before, 0.4 / power);
    if (cautious_) factor = std::min(factor, 1.0);
    last_error_ = error;
    last_power_ = power;
    return std::clamp(factor, 0.2, options_.largest_growth);
}

double AdaptiveRun::control_by_newton(const StepReport& step) const {
    if (step.newton_iterations >= options_.shrink_at) return 0.5;
    return step.newton_iterations <= options_.grow_at && !cautious_ ? options_.newton_growth : 1;
}

bool AdaptiveRun::give_outputs(SecondOrderSystem& system, const State& state,
                               std::span<const double> times, std::size_t& next,
                               const Output& output) {
    bool ready = false;
    for (; next < times.size() && times[next] <= state.t; ++next) {
        if (times[next] == state.t) {
            output(state);
            continue;
        }
        if (!ready) {
            int forces = 0;
            const SolveReport solved = dense_.set(system, begin_, state, forces);
            report_.force_evaluations += forces;
            if (!solved.ok()) {
                report_.solve = solved;
                return false;
            }
            ready = true;
        }
        dense_.interpolate((times[next] - begin_.t) / (state.t - begin_.t), output_);
        output_.t = times[next];
        output(output_);
    }
    return true;
}

void AdaptiveRun::count(const StepReport& step) {
    report_.force_evaluations += step.force_evaluations;
    report_.newton_iterations += step.newton_iterations;
    report_.linear_solves += step.linear_solves;
    report_.linear_iterations += step.linear_iterations;
}

bool AdaptiveRun::too_small(double h, const char* why, const std::string& detail) {
    if (h >= options_.smallest_step) return false;
    report_.solve.status = SolveStatus::breakdown;
    report_.solve.message = fmt::format(
        "at t = {:.6g} s {} and a step of {:.3g} s is below the smallest of {:.3g} s{}{}", begin_.t,
        why, h, options_.smallest_step, detail.empty() ? "" : ": ", detail);
    return true;
}

}  // namespace taffeta::ode

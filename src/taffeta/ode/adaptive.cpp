#include "taffeta/ode/adaptive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/error.h"

namespace taffeta::ode {

namespace {

/// The integrator knows the tolerance while the run lasts, and no longer.
class ScaleForRun {
  public:
    ScaleForRun(Integrator& integrator, const ErrorScale& scale) : integrator_(integrator) {
        integrator_.set_error_scale(scale);
    }
    ScaleForRun(const ScaleForRun&) = delete;
    ScaleForRun& operator=(const ScaleForRun&) = delete;
    ~ScaleForRun() { integrator_.set_error_scale({}); }

  private:
    Integrator& integrator_;
};

}  // namespace

AdaptiveRun::AdaptiveRun(Integrator& integrator, const IntegratorProperties& properties,
                         const AdaptiveOptions& options)
    : integrator_(integrator), options_(options), control_(options) {
    check_adaptive(options, properties);
}

AdaptiveReport AdaptiveRun::run(SecondOrderSystem& system, State& state,
                                std::span<const double> times, const Output& output) {
    report_ = {};
    for (std::size_t i = 0; i < times.size(); ++i)
        if (!(times[i] >= (i > 0 ? times[i - 1] : state.t)))
            fail_input("times", fmt::format("time {} of the outputs, {:.6g} s, does not ascend", i,
                                            times[i]));
    std::size_t next = 0;
    while (next < times.size() && times[next] == state.t)
        output(state), ++next;
    if (next == times.size()) return report_;
    const double end = times.back(), length = end - state.t;
    const ScaleForRun scaled(integrator_, control_.scale(length));
    control_.start(options_.first_step > 0 ? options_.first_step
                                           : first_step(system, state, length));

    while (state.t < end) {
        const long tries = report_.accepted + report_.rejected + report_.failed;
        if (double(tries) >= options_.max_steps) {
            report_.solve.status = SolveStatus::max_iterations;
            report_.solve.message = fmt::format(
                "{} steps led to t = {:.6g} s only, not to {:.6g} s", tries, state.t, end);
            return report_;
        }
        const double h = control_.step(integrator_, end - state.t);
        begin_ = state;
        const std::vector<char> memory = integrator_.save();
        const StepReport step = integrator_.step(system, state, h);
        count(step);
        if (!step.ok()) {
            ++report_.failed;
            if (control_.failed(h)) continue;
            stop_too_small("the step fails", step.solve.message);
            return report_;
        }
        if (!control_.accept(integrator_, step, begin_, state, h, length)) {
            state = begin_;
            integrator_.load(memory);
            ++report_.rejected;
            if (!control_.too_small()) continue;
            stop_too_small("the error is above the tolerance", "");
            return report_;
        }
        if (h == end - begin_.t) state.t = end;
        const bool last = state.t >= end;
        ++report_.accepted;
        if (!last || report_.accepted == 1) {
            report_.smallest_step =
                report_.smallest_step > 0 ? std::min(report_.smallest_step, h) : h;
            report_.largest_step = std::max(report_.largest_step, h);
        }
        report_.largest_error = std::max(report_.largest_error, control_.error());
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

void AdaptiveRun::stop_too_small(const char* why, const std::string& detail) {
    report_.solve.status = SolveStatus::breakdown;
    report_.solve.message = fmt::format(
        "at t = {:.6g} s {} and a step of {:.3g} s is below the smallest of {:.3g} s{}{}", begin_.t,
        why, control_.wanted(), options_.smallest_step, detail.empty() ? "" : ": ", detail);
}

}  // namespace taffeta::ode

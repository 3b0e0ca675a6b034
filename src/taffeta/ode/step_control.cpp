#include "taffeta/ode/step_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

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
         "the tolerances are for the whole run, in scenes its `frames`, of which each step has its "
         "share; else for each step, and errors of steps add up"},
        {"first_step", &Options::first_step,
         "s; 0: from the forces at the start, in scenes a hundredth of a frame", at_least(0)},
        {"smallest_step", &Options::smallest_step, "s; a run that needs less stops", positive()},
        {"largest_step", &Options::largest_step, "s; 0: any", at_least(0)},
        {"safety", &Options::safety, "share of the step that would just do", between(0.1, 1)},
        {"largest_growth", &Options::largest_growth, "of a step over the one before", at_least(1)},
        {"grow_at", &Options::grow_at, "iterations up to which the step grows", at_least(0)},
        {"shrink_at", &Options::shrink_at, "iterations from which the step is halved", at_least(1)},
        {"newton_growth", &Options::newton_growth, "factor then", at_least(1)},
        {"max_steps", &Options::max_steps, "hard limit of tries, in scenes for a frame",
         at_least(1)},
    };
}

void check_adaptive(const AdaptiveOptions& options, const IntegratorProperties& properties) {
    if (options.control == "newton" && (!properties.implicit || properties.linearised))
        fail_input("integrator", "has no Newton iterations to control the step by",
                   "control the step by \"error\"");
    if (options.largest_step > 0 && options.largest_step < options.smallest_step)
        fail_input("largest_step", fmt::format("{:.3g} s is below the smallest step of {:.3g} s",
                                               options.largest_step, options.smallest_step));
    if (options.relative_tolerance <= 0 &&
        (options.absolute_position <= 0 || options.absolute_velocity <= 0))
        fail_input("relative_tolerance", "nothing is allowed to err: all tolerances are 0");
    if (options.grow_at >= options.shrink_at)
        fail_input("grow_at", fmt::format("{} is not below shrink_at, {}", options.grow_at,
                                          options.shrink_at));
}

void StepControl::start(double h) {
    wanted_ = std::max(h, options_.smallest_step);
    error_ = 0;
    last_error_ = 1;
    last_power_ = last_step_ = 0;
    cautious_ = false;
}

double StepControl::step(const Integrator& integrator, double left) const {
    double h = wanted_;
    if (options_.largest_step > 0) h = std::min(h, options_.largest_step);
    if (last_step_ > 0)
        h = std::min(h,
                     last_step_ * std::min(options_.largest_growth, integrator.largest_growth()));
    if (h >= left * (1 - 1e-9)) return left;
    return h > 0.5 * left ? 0.5 * left : h;
}

bool StepControl::failed(double h) {
    cautious_ = true;
    wanted_ = 0.5 * h;
    return !too_small();
}

bool StepControl::accept(const Integrator& integrator, const StepReport& step, const State& begin,
                         const State& end, double h, double length) {
    bool stands = true;
    const double factor = options_.control == "error"
                              ? by_error(integrator, begin, end, h, length, stands)
                              : by_newton(step);
    wanted_ = h * factor;
    cautious_ = !stands;
    if (!stands) return false;
    last_step_ = h;
    wanted_ = std::max(wanted_, options_.smallest_step);
    return true;
}

ErrorScale StepControl::scale(double length) const {
    if (options_.control != "error") return {};
    return {.relative = options_.relative_tolerance,
            .position = options_.absolute_position,
            .velocity = options_.absolute_velocity,
            .run_length = options_.per_run ? length : 0};
}

double StepControl::by_error(const Integrator& integrator, const State& begin, const State& end,
                             double h, double length, bool& stands) {
    const ErrorEstimate* estimate = integrator.local_error();
    if (!estimate)
        fail_input("integrator", "estimates no local error to control the step by",
                   "an implicit one can be controlled by \"newton\"");
    const ErrorScale scale = this->scale(length);
    double error = scale.norm(estimate->x, estimate->v, begin, end) * scale.per_step(h);
    const double power = estimate->power - (options_.per_run ? 1 : 0);
    stands = error <= 1;
    if (!stands) {
        const double factor = options_.safety * std::pow(error, -1 / power);
        return std::isfinite(error) ? std::clamp(factor, 0.1, 0.9) : 0.1;
    }
    error_ = error;
    error = std::max(error, 1e-10);
    // An error much below the tolerance says little of a trend, another estimator's says nothing.
    const double before = power == last_power_ ? std::max(last_error_, 1e-4) : error;
    double factor = options_.safety * std::pow(error, -0.7 / power) * std::pow(before, 0.4 / power);
    if (cautious_) factor = std::min(factor, 1.0);
    last_error_ = error;
    last_power_ = power;
    return std::clamp(factor, 0.2, options_.largest_growth);
}

double StepControl::by_newton(const StepReport& step) const {
    if (step.newton_iterations >= options_.shrink_at) return 0.5;
    return step.newton_iterations <= options_.grow_at && !cautious_ ? options_.newton_growth : 1;
}

std::vector<char> StepControl::save() const {
    const std::array<double, 6> values{wanted_,     error_,     last_error_,
                                       last_power_, last_step_, cautious_ ? 1.0 : 0.0};
    std::vector<char> bytes(sizeof values);
    std::memcpy(bytes.data(), values.data(), sizeof values);
    return bytes;
}

void StepControl::load(std::span<const char> bytes) {
    std::array<double, 6> values{};
    if (bytes.size() != sizeof values)
        fail_input("checkpoint", "the state of the step control has another size");
    std::memcpy(values.data(), bytes.data(), sizeof values);
    wanted_ = values[0];
    error_ = values[1];
    last_error_ = values[2];
    last_power_ = values[3];
    last_step_ = values[4];
    cautious_ = values[5] != 0;
}

}  // namespace taffeta::ode

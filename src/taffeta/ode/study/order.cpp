#include "taffeta/ode/study/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "taffeta/ode/study/evaluations.h"
#include "taffeta/ode/study/order_search.h"
#include "taffeta/ode/study/reference.h"

namespace taffeta::ode::study {

namespace {

constexpr long most_steps = 1 << 17;
constexpr double resolved = 0.1;  // of the solution: a larger error says nothing
constexpr double pass_margin = 0.1;

/// Where an order may be looked for, the first that settles: over all of the problem's time; with fewer
/// steps, for a method that is at rounding with the usual ones; over a part of the time, where
/// rounding adds up less and terms of higher order have grown less.
struct Range {
    double duration, first;
};
constexpr std::array<Range, 15> ranges{{{1, 1},
                                        {1, 1. / 4},
                                        {1, 1. / 16},
                                        {3. / 4, 1. / 4},
                                        {1. / 2, 1. / 4},
                                        {3. / 8, 1. / 4},
                                        {1. / 4, 1. / 8},
                                        {1. / 8, 1. / 16},
                                        {1. / 16, 1. / 32},
                                        {1. / 2, 1. / 32},
                                        {1. / 4, 1. / 32},
                                        {1. / 8, 1. / 32},
                                        {1. / 24, 1. / 32},
                                        {1. / 9, 1. / 64},
                                        {1. / 18, 1. / 64}}};
constexpr double reference_tolerance = 1e-14;  // as far as rounding lets it

struct RangeFound {
    OrderFound found;
    double end = 0;       ///< s
    std::string failure;  ///< of the last run that failed
};

RangeFound search_range(const ChosenMethod& method, const ProblemEntry& entry, Problem& problem,
                        const Range& range) {
    RangeFound result;
    result.end = problem.start.t + range.duration * (problem.end - problem.start.t);
    const double end = result.end;
    const Reference exact = reference_state(problem, end, reference_tolerance);
    const double size = problem.size(exact.state);
    const auto error = [&](long steps) {
        const Run made = run(problem, method, end, steps);
        if (!made.ok) {
            result.failure = made.message;
            return std::numeric_limits<double>::quiet_NaN();
        }
        return problem.distance(made.end, exact.state);
    };
    constexpr double eps = std::numeric_limits<double>::epsilon();
    result.found = search_order(
        error, {.first_steps = std::max(method.properties.starting_steps > 1 ? 8L : 2L,
                                        std::lround(range.first * entry.properties.first_steps)),
                .most_steps = most_steps,
                .resolved = resolved * size,
                .reference = std::max(eps, exact.error) * size,
                .suspicious = 1e4 * eps * std::max(1e-3, size)});
    return result;
}

RangeFound search_ranges(const ChosenMethod& method, const ProblemEntry& entry, Problem& problem) {
    RangeFound best;
    for (const Range& range : ranges) {
        RangeFound tried = search_range(method, entry, problem, range);
        const bool first = &range == &ranges[0];
        if (first || tried.found.settled || tried.found.drift < best.found.drift)
            best = std::move(tried);
        if (best.found.settled) break;
    }
    return best;
}

/// Why theory declares no order, or nothing.
std::string why_not(const ChosenMethod& method, const Problem& problem,
                    const ProblemProperties& about) {
    if (method.on_springs() && !problem.springs) return "does not apply: not a problem of springs";
    if (method.properties.other_motion)
        return "does not apply: with damping of its own, or springs as rods, its motion is another";
    if (about.highest_order > 0 && method.properties.order > about.highest_order)
        return fmt::format("does not apply: above order {} rounding of its forces rules",
                           about.highest_order);
    return {};
}

/// Why a method has no error but rounding on a problem, or nothing.
std::string why_exact(const IntegratorProperties& method, const ProblemProperties& problem) {
    if (method.exact_on_linear && !problem.nonlinear) return "exact on linear systems";
    if (problem.free_fall && method.order >= 2) return "exact from order 2 on";
    if (problem.free_fall && method.exact_in_free_fall) return "exact under constant forces";
    return {};
}

int order_by_theory(const IntegratorProperties& method, const ProblemProperties& problem) {
    if (problem.first_order && method.rate_order > 0) return method.rate_order;
    if (!problem.exact_slopes && method.inexact_slopes_order > 0)
        return method.inexact_slopes_order;
    return problem.damped && method.damped_order > 0 ? method.damped_order : method.order;
}

void add_note(OrderMeasurement& result, const std::string& note) {
    if (note.empty()) return;
    if (!result.note.empty()) result.note += ", ";
    result.note += note;
}

/// Whether the order is the declared one.
bool judge_order(const OrderFound& found, const std::string& exact, const std::string& failure,
                 OrderMeasurement& result) {
    if (!std::isfinite(found.order)) {
        if (!found.at_rounding) {
            add_note(result, failure.empty() ? "no step small enough was tried" : failure);
            return false;
        }
        add_note(result, exact.empty() ? "no order to be seen above rounding" : exact);
        return !exact.empty();
    }
    result.observed_order = found.order;
    result.error = found.error;
    result.steps = found.steps;
    if (!exact.empty()) add_note(result, "should be " + exact);
    if (found.order < result.declared_order - pass_margin)
        add_note(result, "below the declared order");
    if (found.order > result.declared_order + pass_margin)
        add_note(result, "above the declared order");
    return exact.empty() && std::abs(found.order - result.declared_order) <= pass_margin;
}

}  // namespace

OrderMeasurement measure_order(const ChosenMethod& method, const ProblemEntry& entry) {
    const ProblemProperties& about = entry.properties;
    const auto problem =
        entry.make(about.order_options ? about.order_options() : Settings::object());
    problem->first_order = about.first_order;
    const IntegratorProperties& declared = method.properties;
    OrderMeasurement result;
    result.method = method.label;
    result.problem = std::string(entry.key);
    result.declared_order = order_by_theory(declared, about);
    result.declared_evaluations = declared.force_evaluations;
    if (declared.implicit && !declared.linearised)
        result.residual_forces = declared.residual_forces;
    result.observed_order = result.evaluations = std::numeric_limits<double>::quiet_NaN();
    result.note = why_not(method, *problem, about);
    if (!result.note.empty()) {
        result.applies = false;
        result.error = std::numeric_limits<double>::quiet_NaN();
        return result;
    }

    const RangeFound best = search_ranges(method, entry, *problem);
    const double time = best.end - problem->start.t;
    for (const auto& [steps, error] : best.found.curve)
        result.curve.emplace_back(time / double(steps), error);
    if (!best.found.curve.empty()) std::tie(result.steps, result.error) = best.found.curve.back();

    if (result.declared_order > declared.order) add_note(result, "y' = f alone has this order");
    if (!about.exact_slopes && declared.inexact_slopes_order > 0)
        add_note(result, "lower, as K is not exact");
    const bool right = judge_order(best.found, why_exact(declared, about), best.failure, result);
    if (best.end != problem->end && std::isfinite(result.observed_order))
        add_note(result, fmt::format("over {:.3g} s", time));
    if (result.steps == 0) return result;
    const Evaluations counted =
        measure_evaluations(*problem, method, time / double(result.steps), result.steps);
    result.evaluations = counted.per_step;
    result.declared_evaluations = int(counted.declared);
    result.residuals = counted.residuals;
    if (!counted.as_declared) add_note(result, counted.message);
    result.pass = right && counted.as_declared;
    return result;
}

}  // namespace taffeta::ode::study

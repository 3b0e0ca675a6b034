#include "taffeta/ode/study/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

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
constexpr std::array<Range, 11> ranges{{{1, 1},
                                        {1, 1. / 4},
                                        {1, 1. / 16},
                                        {3. / 4, 1. / 4},
                                        {1. / 2, 1. / 4},
                                        {3. / 8, 1. / 4},
                                        {1. / 4, 1. / 8},
                                        {1. / 8, 1. / 16},
                                        {1. / 16, 1. / 32},
                                        {1. / 2, 1. / 32},
                                        {1. / 4, 1. / 32}}};

struct RangeFound {
    OrderFound found;
    double end = 0;          ///< s
    double evaluations = 0;  ///< a step, of the last run
    std::string failure;     ///< of the last run that failed
};

RangeFound search_range(const IntegratorEntry& method, const ProblemEntry& entry, Problem& problem,
                        const Range& range) {
    RangeFound result;
    result.end = problem.start.t + range.duration * (problem.end - problem.start.t);
    const double end = result.end;
    const Reference exact = reference_state(problem, end);
    const double size = problem.size(exact.state);
    const auto error = [&](long steps) {
        const auto integrator = make_study_integrator(method);
        const Run made = run(problem, *integrator, end, steps);
        if (!made.ok) {
            result.failure = made.message;
            return std::numeric_limits<double>::quiet_NaN();
        }
        result.evaluations = double(made.counts.forces) / double(steps);
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

}  // namespace

OrderMeasurement measure_order(const IntegratorEntry& method, const ProblemEntry& entry) {
    const auto problem = entry.make(Settings::object());
    problem->first_order = entry.properties.first_order;
    const IntegratorProperties& declared = method.properties;
    OrderMeasurement result;
    result.method = std::string(method.key);
    result.problem = std::string(entry.key);
    result.declared_order = entry.properties.damped && declared.damped_order > 0
                                ? declared.damped_order
                                : declared.order;
    result.declared_evaluations = declared.force_evaluations;
    result.observed_order = std::numeric_limits<double>::quiet_NaN();

    RangeFound best;
    for (const Range& range : ranges) {
        RangeFound tried = search_range(method, entry, *problem, range);
        const bool first = &range == &ranges[0];
        if (first || tried.found.settled || tried.found.spread < best.found.spread)
            best = std::move(tried);
        if (best.found.settled) break;
    }
    const OrderFound& found = best.found;
    for (const auto& [steps, error] : found.curve)
        result.curve.emplace_back((best.end - problem->start.t) / double(steps), error);
    if (!found.curve.empty()) std::tie(result.steps, result.error) = found.curve.back();
    result.evaluations = best.evaluations;

    if (std::isfinite(found.order)) {
        result.observed_order = found.order;
        result.error = found.error;
        result.steps = found.steps;
        result.pass = found.order >= result.declared_order - pass_margin;
        if (found.order > result.declared_order + pass_margin)
            result.note = found.settled ? "higher on this problem"
                                        : "terms of higher order rule until rounding does";
        if (!result.pass) result.note = "below the declared order";
        if (best.end < problem->end)
            result.note += fmt::format("{}over the first {:.3g} s", result.note.empty() ? "" : ", ",
                                       best.end - problem->start.t);
    } else if (found.at_rounding) {
        result.pass = true;
        result.note = "exact to rounding";
    } else {
        result.note = best.failure.empty() ? "no step small enough was tried" : best.failure;
    }
    return result;
}

}  // namespace taffeta::ode::study

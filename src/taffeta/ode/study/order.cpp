#include "taffeta/ode/study/order.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "taffeta/ode/study/reference.h"

namespace taffeta::ode::study {

namespace {

constexpr long most_steps = 1 << 17;
constexpr double resolved = 0.1;    // of the solution: a larger error says nothing
constexpr double agreement = 0.02;  // of successive slopes
constexpr double pass_margin = 0.1;

struct Level {
    long steps;
    double error, slope;
    bool counts;  ///< resolved, and above rounding
};

/// What rounding, the reference and the stop of Newton's method leave in the error of a run.
double rounding(double size, long steps) {
    return 2e-14 * std::max(1e-3, size) * std::sqrt(double(steps));
}

/// The level whose slope is to be believed, or -1.
int settled_level(const std::vector<Level>& levels) {
    int best = -1;
    double nearest = std::numeric_limits<double>::infinity();
    for (int k = 1; k < int(levels.size()); ++k) {
        const Level &before = levels[std::size_t(k) - 1], &level = levels[std::size_t(k)];
        if (!before.counts || !level.counts) continue;
        const double apart =
            std::isfinite(before.slope) ? std::abs(level.slope - before.slope) : 1.0;
        // Slopes approach the order; a finer one is better unless it is plainly noise.
        if (apart <= 1.5 * nearest) {
            best = k;
            nearest = apart;
        }
    }
    return best;
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

    const Reference exact = reference_state(*problem, problem->end);
    const double size = problem->size(exact.state);
    std::vector<Level> levels;
    bool at_rounding = false;
    std::string failure;
    for (long steps = entry.properties.first_steps; steps <= most_steps; steps *= 2) {
        const auto integrator = make_study_integrator(method);
        const Run made = run(*problem, *integrator, problem->end, steps);
        if (!made.ok) {
            failure = made.message;
            if (!levels.empty() && levels.back().counts) break;
            continue;  // a smaller step may do
        }
        const double error = problem->distance(made.end, exact.state);
        result.evaluations = double(made.counts.forces) / double(steps);
        const double floor = 10 * rounding(size, steps) + exact.error * size;
        const bool above = error > floor;
        const double slope = levels.empty() ? std::numeric_limits<double>::quiet_NaN()
                                            : std::log2(levels.back().error / error);
        levels.push_back({steps, error, slope, above && error < resolved * size});
        result.curve.emplace_back(steps, error);
        result.error = error;
        result.steps = steps;
        if (!above) {
            at_rounding = true;
            break;
        }
        const std::size_t n = levels.size();
        if (n >= 4 && levels[n - 4].counts && std::abs(slope - levels[n - 2].slope) < agreement &&
            std::abs(slope - levels[n - 3].slope) < 2 * agreement)
            break;
    }

    const int chosen = settled_level(levels);
    if (chosen >= 0) {
        const Level& level = levels[std::size_t(chosen)];
        result.observed_order = level.slope;
        result.error = level.error;
        result.steps = level.steps;
        result.pass = level.slope >= result.declared_order - pass_margin;
        if (level.slope > result.declared_order + pass_margin)
            result.note = "higher on this problem";
        if (!result.pass) result.note = "below the declared order";
    } else if (at_rounding) {
        result.pass = true;
        result.note = "exact to rounding";
    } else {
        result.note = failure.empty() ? "no step small enough was tried" : failure;
    }
    return result;
}

}  // namespace taffeta::ode::study

#pragma once

#include <memory>

#include "taffeta/ode/multistep.h"

/// How multistep methods begin.
namespace taffeta::ode {

/// One-step methods of that order or more, up to six.
std::unique_ptr<Integrator> explicit_starter(int order);
/// L-stable up to order five.
std::unique_ptr<Integrator> implicit_starter(int order);

/// Adds the counts of a part of a step; status and residual are the part's.
void add_counts(StepReport& report, const StepReport& part);

/// Fills the past with states, oldest first, that led to `now`. `evaluate(state, a, report)` gives the
/// acceleration there.
template <class Evaluate>
bool start_past(SecondOrderSystem& system, std::span<const State> past, const State& now,
                MultistepPast& into, const Evaluate& evaluate) {
    StepReport report;
    VecX a;
    for (std::size_t i = 0; i < past.size(); ++i) {
        if (!evaluate(past[i], a, report)) return false;
        const State& end = i + 1 < past.size() ? past[i + 1] : now;
        into.add(system, i > 0, past[i], a, end, end.t - past[i].t);
    }
    return true;
}

}  // namespace taffeta::ode

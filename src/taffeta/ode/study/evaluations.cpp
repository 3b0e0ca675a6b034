#include "taffeta/ode/study/evaluations.h"

#include <fmt/format.h>

#include <algorithm>

namespace taffeta::ode::study {

namespace {

constexpr long steps_seen = 16;

}  // namespace

Evaluations measure_evaluations(Problem& problem, const ChosenMethod& method, double h, long most) {
    const IntegratorProperties& p = method.properties;
    const bool newton = p.implicit && !p.linearised;
    const long starting = p.starting_steps;
    const long steps = std::max(starting + 1, std::min(most, starting + steps_seen));
    Evaluations result;
    const int again = p.carries_force && !problem.system->force_persists() ? 1 : 0;
    result.declared = p.force_evaluations + again;
    Stepper stepper(problem, method);
    long forces = 0, residuals = 0;
    for (long i = 0; i < steps; ++i) {
        const long before = stepper.counts().forces;
        const StepReport report = stepper.step(h);
        if (!report.ok()) {
            result.ok = false;
            result.message = fmt::format("step {} failed: {}", i + 1, report.solve.message);
            return result;
        }
        if (i < starting) continue;
        const long made = stepper.counts().forces - before;
        const long taken =
            newton ? p.newton_stages + report.newton_iterations + report.newton_rejected : 0;
        const long expected = p.force_evaluations + again + p.residual_forces * taken;
        forces += made;
        residuals += taken;
        if (made != expected && result.message.empty())
            result.message =
                fmt::format("step {} took {} forces, {} are declared", i + 1, made, expected);
    }
    result.per_step = double(forces) / double(steps - starting);
    result.residuals = double(residuals) / double(steps - starting);
    result.as_declared = result.message.empty();
    return result;
}

}  // namespace taffeta::ode::study

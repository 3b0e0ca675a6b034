#include "taffeta/ode/study/run.h"

#include <fmt/format.h>

#include "taffeta/base/timer.h"

namespace taffeta::ode::study {

Stepper::Stepper(Problem& problem, const ChosenMethod& method, const NewtonOptions& newton)
    : problem_(problem),
      integrator_(method.make(newton)),
      form_(method.on_springs() && problem.springs ? std::make_unique<SpringForm>(problem)
                                                   : nullptr),
      system_(form_ ? static_cast<SecondOrderSystem&>(*form_) : *problem.system, counts_),
      state_(problem.start) {
    if (form_) whole_ = form_->with_held(state_);
}

StepReport Stepper::step(double h) {
    if (problem_.prepare) problem_.prepare(state_, h);
    if (form_) whole_.t = state_.t;
    const StepReport report = integrator_->step(system_, form_ ? whole_ : state_, h);
    if (!report.ok()) return report;
    if (form_) state_ = form_->without_held(whole_);
    ++counts_.steps;
    counts_.newtons += report.newton_iterations;
    return report;
}

Run run(Problem& problem, const ChosenMethod& method, double end, long steps,
        const std::function<void(const State&)>& observe, const NewtonOptions& newton) {
    Run result;
    Stepper stepper(problem, method, newton);
    const double h = (end - problem.start.t) / double(steps);
    if (observe) observe(stepper.state());
    Timer timer;
    for (long i = 0; i < steps; ++i) {
        const StepReport report = stepper.step(h);
        if (!report.ok()) {
            result.ok = false;
            result.message =
                fmt::format("step {} of {} failed: {}", i + 1, steps, report.solve.message);
            break;
        }
        if (i + 1 == steps) stepper.set_time(end);
        if (observe) observe(stepper.state());
    }
    result.seconds = timer.seconds();
    result.counts = stepper.counts();
    result.end = stepper.state();
    return result;
}

}  // namespace taffeta::ode::study

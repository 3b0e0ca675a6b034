#pragma once

#include "taffeta/ode/study/chosen_method.h"
#include "taffeta/ode/study/counting_system.h"
#include "taffeta/ode/study/spring_form.h"

/// Runs a method over a problem, and counts what it asks of the system.
namespace taffeta::ode::study {

struct Run {
    State end;
    Counts counts;
    bool ok = true;
    std::string message;  ///< why not
    double seconds = 0;   ///< of this one run
};

/// A method on its way through a problem. Methods that want springs get the problem as one of springs;
/// nobody else sees the difference.
class Stepper {
  public:
    /// The problem must outlive this.
    Stepper(Problem& problem, const ChosenMethod& method,
            const NewtonOptions& newton = tight_newton());

    const State& state() const { return state_; }
    const Counts& counts() const { return counts_; }
    StepReport step(double h);
    /// The clock of a run of many steps must not drift: sets it.
    void set_time(double t) { state_.t = t; }

  private:
    Problem& problem_;
    std::unique_ptr<Integrator> integrator_;
    std::unique_ptr<SpringForm> form_;  ///< empty: the problem's own system
    Counts counts_;
    CountingSystem system_;
    State state_;  ///< of the problem's own unknowns
    State whole_;  ///< with those of the form
};

/// `steps` equal steps from the problem's start to `end`; `observe` sees the start and every step.
/// Stops where a step fails, or the state is not finite.
Run run(Problem& problem, const ChosenMethod& method, double end, long steps,
        const std::function<void(const State&)>& observe = {},
        const NewtonOptions& newton = tight_newton());

}  // namespace taffeta::ode::study

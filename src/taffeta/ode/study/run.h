#pragma once

#include "taffeta/ode/integrator.h"
#include "taffeta/ode/study/problem.h"

/// Runs an integrator over a problem, and counts what it asks of the system.
namespace taffeta::ode::study {

struct Counts {
    long steps = 0;
    long forces = 0;
    long masses = 0;  ///< M^-1
    long linearisations = 0;
    long products = 0;
    long solves = 0;
    long iterations = 0;  ///< of the linear solves
    long newtons = 0;     ///< Newton iterations

    /// Floating-point operations by the problem's model, with 10 n a force for the method's own
    /// vectors: an estimate, good to compare methods on one problem.
    double flops(const Cost& cost, Eigen::Index unknowns) const;
};

struct Run {
    State end;
    Counts counts;
    bool ok = true;
    std::string message;  ///< why not
    double seconds = 0;   ///< of this one run
};

/// Newton's method to rounding: what the study measures is the method, not its stopping rule.
NewtonOptions tight_newton();

/// A fresh integrator of that kind.
std::unique_ptr<Integrator> make_study_integrator(const IntegratorEntry& entry,
                                                  const NewtonOptions& newton = tight_newton());

/// `steps` equal steps from the problem's start to `end`; `observe` sees the start and every step.
/// Stops where a step fails, or the state is not finite.
Run run(Problem& problem, Integrator& integrator, double end, long steps,
        const std::function<void(const State&)>& observe = {});

}  // namespace taffeta::ode::study

#pragma once

#include "taffeta/ode/study/run.h"

namespace taffeta::ode::study {

/// Force evaluations of the steps after a method has started, as the system counts them, beside what the
/// method declares. A step takes exactly
///
///     force_evaluations + residual_forces (newton_stages + iterations + rejected residuals)
///
/// of `IntegratorProperties`, where the second term is that of Newton's iteration, 0 for explicit and
/// one-pass methods, and one more where it carries the last force on and the force does not persist.
struct Evaluations {
    double per_step = 0;       ///< mean
    double declared = 0;       ///< outside Newton
    double residuals = 0;      ///< of Newton's iteration, a step, mean
    bool as_declared = false;  ///< in every step
    bool ok = true;
    std::string message;  ///< the first step that is not as declared, or that failed
};

/// Over some steps of size h, after the starting ones; at most `most` in all.
Evaluations measure_evaluations(Problem& problem, const ChosenMethod& method, double h, long most);

}  // namespace taffeta::ode::study

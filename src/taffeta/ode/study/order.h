#pragma once

#include "taffeta/ode/study/run.h"

namespace taffeta::ode::study {

/// The order of a method on a problem, as the step tells it.
struct OrderMeasurement {
    std::string method, problem;
    int declared_order = 0;     ///< for a problem with damping, if the problem is damped
    double observed_order = 0;  ///< not finite where errors are at rounding for every step
    double evaluations = 0;     ///< force evaluations a step, on average of the finest run
    int declared_evaluations = 0;
    double error = 0;  ///< of the finest run that counts, in the problem's norm
    long steps = 0;    ///< of that run
    bool pass = false;
    std::string note;
    std::vector<std::pair<long, double>> curve;  ///< steps and errors of all runs
};

/// Halves the step, from the problem's own coarse one, and looks at slopes p_k = log2(e_{k-1}/e_k).
///
/// The range that counts is where the leading term of the error rules and rounding does not: errors
/// below a tenth of the solution, above rounding's share of a run of that length, and slopes that
/// have settled. Halving stops when three successive slopes agree to 0.02, or rounding is reached,
/// or after 2^17 steps; the last slope counts, among settled ones the one whose neighbour is
/// nearest. The declared order has no part in the choice. A method passes when it has at least its
/// declared order, less 0.1; where every error is at rounding it is exact there, and passes.
OrderMeasurement measure_order(const IntegratorEntry& method, const ProblemEntry& problem);

}  // namespace taffeta::ode::study

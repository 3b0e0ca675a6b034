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
    std::vector<std::pair<double, double>> curve;  ///< step, s, and error of all runs
};

/// By `search_order`, over the problem's time; and where rounding ends that before the leading term of
/// the error rules, with fewer steps and over shorter parts of the time, where rounding has added up
/// less: an order may be read at any time. The first range that settles counts, else the one whose
/// windows differ least; `note` says so. The declared order has no part in the choice.
///
/// A method passes when it has at least its declared order, less 0.1; where every error is at
/// rounding it is exact there, and passes.
OrderMeasurement measure_order(const IntegratorEntry& method, const ProblemEntry& problem);

}  // namespace taffeta::ode::study

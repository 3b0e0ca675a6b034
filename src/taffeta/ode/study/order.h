#pragma once

#include "taffeta/ode/study/run.h"

namespace taffeta::ode::study {

/// The order of a method on a problem, as the step tells it, and its force evaluations.
struct OrderMeasurement {
    std::string method, problem;
    int declared_order = 0;        ///< for a problem with damping, if the problem is damped
    double observed_order = 0;     ///< not finite where errors are at rounding for every step
    double evaluations = 0;        ///< force evaluations a step, on average, once started
    int declared_evaluations = 0;  ///< of these, outside Newton's iteration
    double residuals = 0;          ///< of Newton's iteration, a step, on average
    int residual_forces = 0;       ///< evaluations of each; 0: there is no Newton iteration
    double error = 0;              ///< of the finest run that counts, in the problem's norm
    long steps = 0;                ///< of that run
    bool applies = true;           ///< the theory declares an order of this method on this problem
    bool pass = false;
    std::string note;
    std::vector<std::pair<double, double>> curve;  ///< step, s, and error of all runs
};

/// By `search_order`, over the problem's time; and where rounding ends that before the leading term of
/// the error rules, with fewer steps and over shorter parts of the time, where rounding has added up
/// less: an order may be read at any time. The first range that settles counts, else the one whose
/// windows differ least; `note` says so. The declared order has no part in the choice.
///
/// A method passes when the order is the declared one to 0.1, neither less nor more, and when every
/// step takes as many forces as declared (evaluations.h). More than that order passes where theory says
/// so, which `note` names: errors at rounding on motions that the method follows exactly.
///
/// Does not apply: a method on springs alone to a problem without; a method that converges to another
/// motion than the system's (`IntegratorProperties::other_motion`) to any; an order above
/// `ProblemProperties::highest_order`.
OrderMeasurement measure_order(const ChosenMethod& method, const ProblemEntry& problem);

}  // namespace taffeta::ode::study

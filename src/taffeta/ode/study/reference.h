#pragma once

#include "taffeta/ode/study/problem.h"

namespace taffeta::ode::study {

struct Reference {
    State state;
    double error = 0;  ///< how far two successive refinements are apart, relative
    bool closed_form = false;
    bool ok = true;
    std::string message;
};

/// The state at time t: in closed form where the problem has one, else by Gragg's midpoint rule
/// extrapolated in h^2 to order 12 over N parts of the time, with N doubled until two results agree
/// to `tolerance`. No registered integrator is used, so that none is compared with itself.
/// [Gragg65], [BulirschStoer66]
Reference reference_state(Problem& problem, double t, double tolerance = 1e-12);

}  // namespace taffeta::ode::study

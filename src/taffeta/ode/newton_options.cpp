#include "taffeta/ode/integrator.h"

namespace taffeta::ode {

Fields<NewtonOptions> NewtonOptions::fields() {
    return {
        {"max_iterations", &NewtonOptions::max_iterations, "hard limit per step", at_least(1)},
        {"tolerance", &NewtonOptions::tolerance,
         "stop when the free residual is below this times the weight of the cloth", positive()},
        {"linear_tolerance", &NewtonOptions::linear_tolerance,
         "tolerance of each linear solve; 0: the solver's own", between(0, 1)},
        {"line_search", &NewtonOptions::line_search,
         "halve a Newton step until the residual falls"},
    };
}

}  // namespace taffeta::ode

#include "taffeta/ode/integrator.h"

namespace taffeta::ode {

Fields<NewtonOptions> NewtonOptions::fields() {
    return {
        {"type", &NewtonOptions::type,
         "newton; inexact: linear systems only as well as `forcing` says; simplified: with the "
         "matrix of the stage's first iteration, which converges linearly and for small steps; "
         "springs: "
         "with a constant matrix of the springs that the cloth stands for, factored once for all "
         "steps of "
         "a size, for small steps and loose tolerances",
         one_of({"newton", "inexact", "simplified", "springs"})},
        {"max_iterations", &NewtonOptions::max_iterations, "hard limit per step", at_least(1)},
        {"tolerance", &NewtonOptions::tolerance,
         "stop when the free residual is below this times the weight of the cloth", positive()},
        {"linear_tolerance", &NewtonOptions::linear_tolerance,
         "tolerance of each linear solve, unless inexact; 0: the solver's own", between(0, 1)},
        {"forcing", &NewtonOptions::forcing,
         "linear tolerance of inexact: `eta` always, or by how the residual fell (choice 2 of "
         "Eisenstat and Walker) from `eta` on",
         one_of({"constant", "eisenstat_walker"})},
        {"eta", &NewtonOptions::eta,
         "linear tolerance of inexact, relative to the residual in the norm of the solver",
         between(1e-12, 0.9)},
        {"line_search", &NewtonOptions::line_search,
         "halve a Newton step until the residual falls"},
    };
}

}  // namespace taffeta::ode

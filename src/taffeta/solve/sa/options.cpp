#include "taffeta/solve/sa/options.h"

namespace taffeta::solve::sa {

Fields<Options> Options::fields() {
    return {
        {"strength", &Options::strength, "strength threshold theta, dimensionless", between(0, 1)},
        {"aggregate_size", &Options::aggregate_size, "largest distance-2 aggregate", at_least(3)},
        {"distance_two", &Options::distance_two, "aggregates over two strong edges, not one"},
        {"coarsest", &Options::coarsest, "coarse vertices solved directly", at_least(1)},
        {"max_levels", &Options::max_levels, "levels at most", at_least(2)},
        {"lanczos_steps", &Options::lanczos_steps, "for the largest eigenvalue of D^-1 A",
         at_least(2)},
        {"refresh_cost", &Options::refresh_cost,
         "price of new coarse levels in iterations: they are made anew when old ones have cost "
         "that "
         "many",
         at_least(0)},
        {"constraint_change", &Options::constraint_change,
         "share of the vertices whose constraints may differ from those that the coarse levels "
         "were "
         "made with",
         between(0, 1)},
        {"max_age", &Options::max_age, "solves that one hierarchy may serve", at_least(1)},
    };
}

}  // namespace taffeta::solve::sa

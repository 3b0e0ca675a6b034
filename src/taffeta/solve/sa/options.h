#pragma once

#include "taffeta/base/fields.h"

namespace taffeta::solve::sa {

/// How the hierarchy is built. The defaults are what won by measurement (docs/solver.md).
struct Options {
    double strength = 0.48;    ///< theta of the strength test, dimensionless
    int aggregate_size = 12;   ///< cap on the vertices of a distance-2 aggregate
    bool distance_two = true;  ///< aggregates over two strong edges; false: over one
    int coarsest = 48;         ///< coarse vertices at which the direct solve takes over
    int max_levels = 12;
    int lanczos_steps = 5;  ///< for lambda_max(D^-1 A)
    int refresh_cost = 6;   ///< price of new coarse levels, in iterations
    int max_age = 50;       ///< solves that a hierarchy may serve at most

    double constraint_change = 0.02;  ///< share of vertices

    static Fields<Options> fields();
};

}  // namespace taffeta::solve::sa

#pragma once

#include <vector>

#include "taffeta/solve/sa/options.h"
#include "taffeta/solve/sa/strength.h"

namespace taffeta::solve::sa {

/// Disjoint aggregates: vertex -> aggregate, -1 for vertices without strong neighbours.
/// Aggregates are numbered in the order of their first vertex, so that the coarse matrix inherits
/// the bandwidth of the fine one.
///
/// Pass 1 makes a root of every vertex whose strong neighbourhood (two edges deep for
/// `distance_two`) is free as a whole; pass 2 makes roots of vertices whose direct neighbourhood is
/// free; pass 3 joins each leftover to the aggregate that it is tied to most strongly; aggregates of
/// fewer than three vertices, which cannot carry six modes, join a neighbour.
struct Aggregates {
    std::vector<Index> of;
    Index count = 0;
};
Aggregates aggregate(const Strength& strength, const Recipe& recipe);

}  // namespace taffeta::solve::sa

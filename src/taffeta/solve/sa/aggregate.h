#pragma once

#include <vector>

#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/solve/sa/options.h"

namespace taffeta::solve::sa {

/// Symmetric strength of connection: r_ij = |D_i^-1/2 A_ij D_j^-1/2| in the Frobenius norm, which
/// needs Cholesky factors only because it does not see rotations. Strong when
/// r_ij > theta min(max_k r_ik, max_k r_jk). [TJM15] Algorithm 3, line 5, made symmetric.
struct Strength {
    std::vector<Index> row_begin, column;  ///< strong neighbours, ascending
    std::vector<float> weight;             ///< r_ij
};

template <int B>
Strength strength_of(const SquareRows<B>& A, double theta);

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
Aggregates aggregate(const Strength& strength, const Options& options);

}  // namespace taffeta::solve::sa

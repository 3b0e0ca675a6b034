#pragma once

#include <vector>

#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/solve/sa/options.h"

namespace taffeta::solve::sa {

/// Symmetric strength of connection, [TJM15] Algorithm 3, line 5: with N = D_i^-1/2 A_ij D_j^-1/2
/// vertices are strongly connected when r_ij > theta min(max_k r_ik, max_k r_jk).
///
/// r_ij is the spectral radius of N as printed (`spectral_strength`; it needs the symmetric square
/// roots), or its Frobenius norm, which does not see rotations, so that Cholesky factors do. The
/// printed test, r_ij > theta max_k r_ik, is not symmetric in i and j; here a connection is strong
/// when either end finds it strong.
///
/// Special vertices, tied to their neighbours so weakly that sum_j r_ij < `special`, have no strong
/// connection from either end.
struct Strength {
    std::vector<Index> row_begin, column;  ///< strong neighbours, ascending
    std::vector<float> weight;             ///< r_ij
};

template <int B>
Strength strength_of(const SquareRows<B>& A, const Recipe& recipe);

}  // namespace taffeta::solve::sa

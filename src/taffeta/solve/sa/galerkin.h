#pragma once

#include "taffeta/solve/sa/half_rows.h"
#include "taffeta/solve/sa/workspace.h"

namespace taffeta::solve::sa {

/// The pattern of A_c = P' A P, made once.
template <int B, int C>
void make_galerkin_pattern(const SquareRows<B>& A, const ProlongatorRows<B, C>& P,
                           Index coarse_rows, SquareRows<C>& coarse);

/// The values of A_c = G + G' with G = P' (L + D/2) P, where L is all below the diagonal: half of A is read
/// once, row by row, and A_c is symmetric to the last bit. Chunks of fine rows, by the colours of P, add
/// P_i' ((L + D/2) P)_i into G; one row of that product lives in a scratch that fits the cache. `missing`
/// (bit k: mode k of an aggregate is absent) gets a positive diagonal.
template <int B, int C>
void galerkin_product(const HalfRows<B>& A, const ProlongatorRows<B, C>& P,
                      const std::vector<unsigned char>& missing, Workspaces& workspaces,
                      SquareRows<C>& coarse);

/// Inverts the diagonal blocks of A into A.inverse_diagonal; the first row whose block is not SPD,
/// or -1.
template <int B>
Index invert_diagonal(SquareRows<B>& A);

/// Makes every diagonal block of a coarse matrix positive definite: rounding in single precision can
/// cost a nearly singular one its last eigenvalue.
template <int C>
void strengthen_diagonal(SquareRows<C>& A);

}  // namespace taffeta::solve::sa

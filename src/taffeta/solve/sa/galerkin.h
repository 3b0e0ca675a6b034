#pragma once

#include "taffeta/solve/sa/block_rows.h"

namespace taffeta::solve::sa {

/// The pattern of A_c = P' A P, made once.
template <int B, int C>
void make_galerkin_pattern(const SquareRows<B>& A, const ProlongatorRows<B, C>& P,
                           Index coarse_rows, SquareRows<C>& coarse);

/// The values of A_c. Chunks of fine rows, by the colours of P, add P_i' (A P)_i into the upper
/// half, and the lower half is copied at the end, so A_c is symmetric to the last bit. A P is never
/// stored: one row of it lives in a scratch that fits the cache. `missing` (bit k: mode k of an
/// aggregate is absent) gets a positive diagonal. `Rows` as for `smooth_prolongator`.
template <int B, int C, class Rows>
void galerkin_product(const Rows& A, const ProlongatorRows<B, C>& P,
                      const std::vector<unsigned char>& missing, SquareRows<C>& coarse);

/// Inverts the diagonal blocks of A into A.inverse_diagonal; the first row whose block is not SPD,
/// or -1.
template <int B>
Index invert_diagonal(SquareRows<B>& A);

/// Makes every diagonal block of a coarse matrix positive definite: rounding in single precision can
/// cost a nearly singular one its last eigenvalue.
template <int C>
void strengthen_diagonal(SquareRows<C>& A);

}  // namespace taffeta::solve::sa

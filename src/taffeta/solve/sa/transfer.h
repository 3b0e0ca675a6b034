#pragma once

#include "taffeta/solve/sa/block_rows.h"

namespace taffeta::solve::sa {

/// coarse = P' r. Fine rows that add into the same coarse vertices go one after the other.
template <int B, int C>
void restrict_residual(const ProlongatorRows<B, C>& P, FloatSpan r, FloatArray& coarse);

/// x += P coarse.
template <int B, int C>
void prolong_and_add(const ProlongatorRows<B, C>& P, const FloatArray& coarse, FloatArray& x);

}  // namespace taffeta::solve::sa

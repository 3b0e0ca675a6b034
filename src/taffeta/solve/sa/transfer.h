#pragma once

#include "taffeta/solve/sa/block_rows.h"

namespace taffeta::solve::sa {

/// coarse = P' r. Fine rows that add into the same coarse vertices go one after the other.
template <int B>
void restrict_residual(const ProlongatorRows<B>& P, const FloatArray& r, FloatArray& coarse);

/// x += P coarse.
template <int B>
void prolong_and_add(const ProlongatorRows<B>& P, const FloatArray& coarse, FloatArray& x);

}  // namespace taffeta::solve::sa

#pragma once

#include <span>

#include "taffeta/solve/sa/block_rows.h"

namespace taffeta::solve::sa {

/// lambda_max(D^-1 A) by `steps` of the generalised Lanczos method from a fixed start, times 1.1.
/// [TJM15] section 7.
template <int B>
float largest_eigenvalue(const SquareRows<B>& A, int steps);

/// The largest eigenvalue of the symmetric tridiagonal matrix with that diagonal and those neighbours
/// of it: what some steps of Lanczos come to.
double largest_of_tridiagonal(std::span<const double> diagonal, std::span<const double> beside);

}  // namespace taffeta::solve::sa

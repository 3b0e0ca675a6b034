#pragma once

#include <span>

#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/solve/sa/ordering.h"

namespace taffeta::solve::sa {

/// x = (D + L)^-1 b (forward Gauss-Seidel from zero) and r = b - A x = -U x: together they read A
/// once.
template <int B>
void smooth_from_zero(const SquareRows<B>& A, const Strips& strips, const FloatArray& b,
                      FloatArray& x, FloatArray& r);

/// One backward Gauss-Seidel sweep, the adjoint of the forward one.
template <int B>
void smooth_backward(const SquareRows<B>& A, const Strips& strips, const FloatArray& b,
                     FloatArray& x);

/// The same sweep with change = x - (x before it) and product = A x. In the sweep's order what
/// comes before a row is new and what comes after it is old, so that b = A x - L change with L the
/// part that comes after: another product with half of A, whose blocks are still in the cache.
template <int B>
void smooth_backward_and_multiply(const SquareRows<B>& A, const Strips& strips, const FloatArray& b,
                                  FloatArray& x, FloatArray& change, FloatArray& product);

/// y = D^-1 A x.
template <int B>
void multiply_scaled(const SquareRows<B>& A, const FloatArray& x, FloatArray& y);

/// coarse = P' r and x += P coarse.
template <int B>
void restrict_residual(const ProlongatorRows<B>& P, const FloatArray& r, FloatArray& coarse);
template <int B>
void prolong_and_add(const ProlongatorRows<B>& P, const FloatArray& coarse, FloatArray& x);

/// lambda_max(D^-1 A) by `steps` of the generalised Lanczos method from a fixed start, times 1.1.
/// [TJM15] section 7.
template <int B>
float largest_eigenvalue(const SquareRows<B>& A, int steps);

/// The largest eigenvalue of the symmetric tridiagonal matrix with that diagonal and those neighbours
/// of it: what some steps of Lanczos come to.
double largest_of_tridiagonal(std::span<const double> diagonal, std::span<const double> beside);

}  // namespace taffeta::solve::sa

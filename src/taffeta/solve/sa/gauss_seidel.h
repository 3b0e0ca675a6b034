#pragma once

#include "taffeta/solve/sa/half_rows.h"

/// Block Gauss-Seidel sweeps over strips: all even strips, then all odd ones, forward; the other way
/// round backward. That is one fixed order, whatever the number of threads, and the two sweeps are
/// adjoint. `inverse` holds D^-1 as SquareRows does.
///
/// A forward sweep from zero needs L alone, the part that comes before a row in the order, and leaves
/// the residual -U x: so the sweep and its residual read half of the matrix once.
namespace taffeta::solve::sa {

/// x = (D + L)^-1 b and r = b - A x. The padding of r is not zero afterwards. Rows with `kept` != 0, if
/// any, stay zero, and their r is not the residual.
template <int B>
void smooth_from_zero(const HalfRows<B>& A, const FloatArray& inverse, const FloatArray& b,
                      FloatArray& x, FloatSpan r, const char* kept = nullptr);

/// One backward sweep on A x = b; `scratch` is of the size of x. Rows with `kept` != 0 stay as they are.
template <int B>
void smooth_backward(const HalfRows<B>& A, const FloatArray& inverse, const FloatArray& b,
                     FloatArray& x, FloatSpan scratch, const char* kept = nullptr);

/// The same sweep with change = x - (x before it) and product = A x. In the sweep's order what comes
/// before a row is new and what comes after it is old, so that b = A x - U change with U the part
/// that comes after: a third use of blocks that are still in the cache. Rows with `kept` != 0 stay as they
/// are, and their product is not A x.
template <int B>
void smooth_backward_and_multiply(const HalfRows<B>& A, const FloatArray& inverse,
                                  const FloatArray& b, FloatArray& x, FloatSpan change,
                                  FloatSpan product, const char* kept = nullptr);

}  // namespace taffeta::solve::sa

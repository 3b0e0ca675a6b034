#pragma once

#include "taffeta/solve/sa/block_rows.h"

namespace taffeta::solve::sa {

/// The Chebyshev polynomial in D^-1 A that is small on [lambda / ratio, lambda].
///
/// As a smoother it contracts in the A-norm, and the V-cycle is symmetric positive definite, exactly
/// when the true lambda_max(D^-1 A) lies below lambda (1 + 1 / ratio): `lambda` comes with a safety
/// factor. [TJM15] section 7; recurrence of [Saad03] Algorithm 12.1.
struct ChebyshevInterval {
    int degree = 2;
    float lambda = 0;
    double ratio = 20;
};

/// x += p(D^-1 A) D^-1 (b - A x), a polynomial of that degree, from x = 0 when `from_zero`. r and d
/// are scratch.
template <int B>
void chebyshev_sweep(const SquareRows<B>& A, const ChebyshevInterval& interval, bool from_zero,
                     const FloatArray& b, FloatArray& x, FloatSpan r, FloatSpan d);

/// r = b - A x.
template <int B>
void residual(const SquareRows<B>& A, const FloatArray& b, const FloatArray& x, FloatSpan r);

}  // namespace taffeta::solve::sa

#pragma once

#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/sparse/block_matrix.h"

/// The vector loops of conjugate gradients and of Lanczos in single precision: each vector passes
/// through memory once, sums are made in double and in an order that does not depend on the number of
/// threads. The padding of all vectors is zero, and so are the four floats behind them.
namespace taffeta::solve::sa {

/// x'y
double dot(FloatSpan x, FloatSpan y, sparse::Partials& scratch);

/// x <- x + alpha p,  r <- r - alpha q
void step(float alpha, FloatSpan p, FloatSpan q, FloatSpan x, FloatSpan r);

/// p <- z + beta p,  q <- w + beta q; returns p'q.
double turn(float beta, FloatSpan z, FloatSpan w, FloatSpan p, FloatSpan q,
            sparse::Partials& scratch);

/// out <- out + a x + b y
void add_two(float a, FloatSpan x, float b, FloatSpan y, FloatSpan out);

/// out <- out + gain (x - y)
void add_difference(float gain, FloatSpan x, FloatSpan y, FloatSpan out);

}  // namespace taffeta::solve::sa

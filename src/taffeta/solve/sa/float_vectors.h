#pragma once

#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/sparse/block_matrix.h"

/// The vector loops of conjugate gradients in single precision: each vector passes through memory once,
/// sums are made in double and in an order that does not depend on the number of threads. The padding
/// of all vectors is zero.
namespace taffeta::solve::sa {

/// x'y
double dot(const FloatArray& x, const FloatArray& y, sparse::Partials& scratch);

/// x <- x + alpha p,  r <- r - alpha q
void step(float alpha, const FloatArray& p, const FloatArray& q, FloatArray& x, FloatArray& r);

/// p <- z + beta p,  q <- w + beta q; returns p'q.
double turn(float beta, const FloatArray& z, const FloatArray& w, FloatArray& p, FloatArray& q,
            sparse::Partials& scratch);

}  // namespace taffeta::solve::sa

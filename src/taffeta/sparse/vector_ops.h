#pragma once

#include "taffeta/sparse/block_matrix.h"

/// The vector loops of Krylov methods: parallel, with sums of a fixed order, fused so that each
/// vector passes through memory once. Vectors of one call have one size and do not overlap.
namespace taffeta::sparse {

/// x'y, the same bits for any number of threads and any alignment of the vectors.
double dot(const VecX& x, const VecX& y, Partials& scratch);
double dot(const VecX& x, const VecX& y);

/// y <- y + alpha x
void axpy(double alpha, const VecX& x, VecX& y);

/// y <- x + beta y
void xpby(const VecX& x, double beta, VecX& y);

/// One step along p: x <- x + alpha p, r <- r - alpha q. Returns r'r.
double step(double alpha, const VecX& p, const VecX& q, VecX& x, VecX& r, Partials& scratch);

}  // namespace taffeta::sparse

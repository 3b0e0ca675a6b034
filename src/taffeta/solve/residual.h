#pragma once

#include "taffeta/sparse/block_matrix.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::solve {

/// |S (b - A x)| / |S (b - A z)|, from the definition and not from what a solver says; without
/// constraints |b - A x| / |b|. The numerator alone where the denominator is zero.
double relative_residual(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                         const VecX& x);

}  // namespace taffeta::solve

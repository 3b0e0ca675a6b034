#pragma once

#include "taffeta/sparse/block_matrix.h"

namespace taffeta::sparse {

/// A block diagonal matrix of symmetric 3 x 3 blocks, six numbers each (48 bytes a vertex).
class BlockDiagonal {
  public:
    void resize(Index rows) { values_.resize(std::size_t(rows) * 6); }
    Index rows() const { return Index(values_.size() / 6); }

    std::size_t bytes() const { return values_.size() * sizeof(double); }

    void set(Index row, const Mat3& symmetric);
    Mat3 block(Index row) const;

    /// z = D r
    void apply(const VecX& r, VecX& z) const;

    struct Sums {
        double rz = 0;  ///< r'z
        double rr = 0;  ///< r'r
    };
    /// One step of conjugate gradients preconditioned by D, in one pass over memory:
    /// x <- x + alpha p, r <- r - alpha q, z <- D r. `scratch` holds the partial sums.
    Sums step(double alpha, const VecX& p, const VecX& q, VecX& x, VecX& r, VecX& z,
              Partials& scratch) const;

  private:
    UntouchedVector<double> values_;  ///< xx, xy, xz, yy, yz, zz
};

}  // namespace taffeta::sparse

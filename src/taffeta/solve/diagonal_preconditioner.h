#pragma once

#include "taffeta/solve/preconditioner.h"

namespace taffeta::solve {

/// B_ii = S A_ii S + sigma (I - S); `entry` is nullptr where the vertex is free.
Mat3 filtered_block(const Mat3& block, const sparse::NodeFilter::Entry* entry);

/// The inverse of an SPD block, symmetric up to rounding. False, with nothing promised about the
/// result, when a pivot of its elimination B = L D L' is not above `floor`, component by component.
bool invert_positive(const Mat3& block, const Vec3& floor, Mat3& inverse);

/// Preconditioners that are one symmetric 3 x 3 block a vertex, made from the diagonal block of the
/// prefiltered matrix, B_ii = S A_ii S + sigma (I - S).
///
/// A derived class says what it takes for the inverse of an SPD block. Where vertex i is
/// constrained the result R is used as S R S + (I - S)/sigma, which maps range(S) to itself exactly
/// and not only up to the rounding of an inverse; for a scalar diagonal, whose axes know nothing
/// of S, it would not do so at all.
class DiagonalPreconditioner : public Preconditioner {
  public:
    /// `singular` or `indefinite` names the first vertex whose block is not SPD, with eigenvalues.
    SolveReport setup(const sparse::Matrix3& A, const sparse::NodeFilter& filter,
                      const NearKernel& near_kernel) override;
    void apply(const VecX& r, VecX& z) const override { inverse_.apply(r, z); }
    std::size_t bytes() const override { return inverse_.bytes(); }
    const sparse::BlockDiagonal* block_diagonal() const override { return &inverse_; }

  protected:
    /// Writes what stands for the inverse of a block; false when the block is not positive.
    virtual bool invert(const Mat3& block, Mat3& inverse) const = 0;

  private:
    sparse::BlockDiagonal inverse_;
    std::vector<Index> first_bad_;  ///< a chunk of rows, -1 when all is well
};

}  // namespace taffeta::solve

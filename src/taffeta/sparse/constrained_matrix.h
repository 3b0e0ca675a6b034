#pragma once

#include "taffeta/sparse/constraint_basis.h"

namespace taffeta::sparse {

/// How much of the prefiltered matrix to form.
struct FillLimits {
    /// Numbers of Q below it are left out; rows of Q have length one. Zero: none.
    double drop = 0.1;
    /// Most blocks of the matrix, in those of A. Zero: it is not formed at all.
    double max_fill = 2;
};

/// B = T A T + Q' Sigma Q with T = I - Q'Q: the prefiltered matrix of constraints across vertices,
/// formed for who must see its blocks. [TJM15] eq. 7.
///
/// The node filter is left to who takes B, as with A: Q S0 = Q, so S0 B S0 + sigma (I - S0) is the
/// paper's S A S + sigma (I - S) for S = S0 - Q'Q. Sigma_k is the mean diagonal of A over row k, in
/// the field of values of A.
///
/// T A T = A - Q'F - F'Q with F = (Q A) - (Q A Q') Q / 2: a symmetric update of rank 2 per row, with
/// fill where a row of Q meets a row of F. Where many rows share vertices those of Q grow long with
/// small numbers at their ends, and B grows dense; numbers below `drop` are therefore left out. What remains of Q is not orthonormal, but B is still positive definite: the first term is
/// zero only where T x = 0, and there x = Q'Q x, so that the second is positive.
class ConstrainedMatrix {
  public:
    /// False when B would have more blocks than `limits` allow; it is then left as it was. The
    /// pattern stays the same object as long as it is equal.
    bool update(const Matrix3& A, const ConstraintBasis& basis, const FillLimits& limits);

    const Matrix3& matrix() const { return B_; }
    std::size_t bytes() const;

  private:
    void load_rows(const ConstraintBasis& basis, double drop);
    bool make_updates(const Matrix3& A, double max_fill);
    bool make_columns(const BlockPattern& pattern, double max_fill);
    void fill(const Matrix3& A);

    VertexRows Q_, F_;
    VertexColumns Q_columns_, F_columns_;
    Matrix3 B_;
};

}  // namespace taffeta::sparse

#pragma once

#include "taffeta/base/report.h"
#include "taffeta/sparse/block_matrix.h"
#include "taffeta/sparse/constraint_basis.h"

namespace taffeta::solve {

/// Checks of what a caller hands to a solver, before any arithmetic. Keeps the last pattern that
/// passed, so that a matrix with fixed sparsity is examined once.
class SystemCheck {
  public:
    /// bad_size when A, S, b and x disagree or the pattern breaks its rules, bad_filter when (S, z)
    /// is no filter. Does not look at the numbers of A and b: see `not_finite`.
    SolveReport run(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& b,
                    const VecX& x);

  private:
    sparse::Pattern checked_;
};

/// bad_filter when constraints across vertices were made with another filter, or contradict each other.
SolveReport check_constraints(const sparse::ConstraintBasis& basis,
                              const sparse::NodeFilter& filter);

/// The report of a solve that met a NaN or an infinity: finds the first one in b, x and A. When
/// there is none the numbers overflowed on the way, and asymmetry of A, if any, is the reason.
///
/// Why only then? Every number of A takes part in every product A p, and NaN and infinity survive
/// a multiplication by anything, zero included (0 x inf = NaN). So p'Ap, which conjugate gradients
/// computes anyway, is finite only if all of A is: the check of O(nonzeros) costs nothing until it
/// fails.
SolveReport not_finite(const sparse::Matrix3& A, const VecX& b, const VecX& x);

/// The eigenvalues of a block, ascending: for a sentence about it.
Vec3 eigenvalues_of(const Mat3& block);

/// A report with a sentence.
SolveReport failure(SolveStatus status, std::string message);

}  // namespace taffeta::solve

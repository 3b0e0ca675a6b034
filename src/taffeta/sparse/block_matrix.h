#pragma once

#include <string>

#include "taffeta/sparse/pattern.h"
#include "taffeta/sparse/storage.h"

namespace taffeta::sparse {

/// A sparse matrix of R x C blocks over a shared pattern (block compressed rows, "BSR").
///
/// Each block is R*C doubles in column-major order, blocks in slot order; the storage ends with
/// padding so that a kernel may load one vector register past the last block. Column-major because
/// the product y_i += A_ij x_j is then three broadcasts times three column loads.
template <int R, int C>
class BlockMatrix {
  public:
    using Block = Eigen::Matrix<double, R, C>;
    static constexpr int block_size = R * C;

    BlockMatrix() = default;
    /// All zero.
    explicit BlockMatrix(Pattern pattern);

    const BlockPattern& pattern() const { return *pattern_; }
    const Pattern& shared_pattern() const { return pattern_; }
    Index rows() const { return pattern_ ? pattern_->rows() : 0; }
    bool empty() const { return !pattern_; }

    double* slot(Index s) { return values_.data() + std::size_t(s) * block_size; }
    const double* slot(Index s) const { return values_.data() + std::size_t(s) * block_size; }
    Eigen::Map<Block> block(Index s) { return Eigen::Map<Block>(slot(s)); }
    Eigen::Map<const Block> block(Index s) const { return Eigen::Map<const Block>(slot(s)); }

    void set_zero();  ///< in parallel

  private:
    Pattern pattern_;
    UntouchedVector<double> values_;
};

using Matrix3 = BlockMatrix<3, 3>;

/// y = A x. Deterministic, parallel over rows, SIMD. x and y must not be the same vector.
void multiply(const Matrix3& A, const VecX& x, VecX& y);

/// Scratch of a deterministic sum: one partial sum a chunk. Kept by who calls in a loop, so that
/// nothing is allocated there.
using Partials = std::vector<double>;

/// y = A x and, in the same pass over memory, x'y. The sum has a fixed order.
double multiply_dot(const Matrix3& A, const VecX& x, VecX& y, Partials& scratch);

/// A sentence that names the first number of A that is NaN or infinite; empty when all are finite.
std::string find_not_finite(const Matrix3& A);

/// A sentence that names the block which differs most from the transpose of its mirror image, when
/// by more than `tolerance` times the largest number of A; empty when A is that symmetric.
std::string find_asymmetry(const Matrix3& A, double tolerance = 1e-9);

}  // namespace taffeta::sparse

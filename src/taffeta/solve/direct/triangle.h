#pragma once

#include <Eigen/SparseCore>

#include "taffeta/base/report.h"
#include "taffeta/solve/direct/fill_order.h"
#include "taffeta/sparse/block_matrix.h"

namespace taffeta::solve {

/// One triangle of P B P' by numbers in compressed columns (#3V x #3V), B a symmetric block matrix
/// and P the order of elimination, each vertex in three rows: what libraries for direct solves take.
/// The columns are ascending, and by symmetry the columns of one triangle are the rows of the other.
class Triangle {
  public:
    enum class Half { lower, upper };  ///< as columns; `lower` are the rows of the upper one
    using Matrix = Eigen::SparseMatrix<double>;

    /// The structure; bad_size when the numbers are too many for 32-bit indices.
    SolveReport make(const sparse::BlockPattern& pattern, FillOrder order, Half half);
    /// The numbers, in parallel. B has the pattern of `make`.
    void fill(const sparse::Matrix3& B);

    const Matrix& matrix() const { return matrix_; }
    Matrix& matrix() { return matrix_; }
    const FillOrder& order() const { return order_; }
    Index size() const { return Index(matrix_.rows()); }
    /// The number on the diagonal in row k of P B P'.
    double diagonal(Index k) const;
    /// The row of B that is row k of P B P'.
    Index row(Index k) const { return 3 * order_.vertex[std::size_t(k / 3)] + k % 3; }

    void permute(const VecX& u, VecX& permuted) const;       ///< P u
    void permute_back(const VecX& permuted, VecX& u) const;  ///< P' u
    std::size_t bytes() const;

  private:
    struct Part {  ///< a block of B in a column of blocks
        Index position;
        Index slot;
    };

    FillOrder order_;
    Half half_ = Half::lower;
    std::vector<std::size_t> begin_;  ///< #V + 1, of `parts_`
    std::vector<Part> parts_;
    Matrix matrix_;
};

}  // namespace taffeta::solve

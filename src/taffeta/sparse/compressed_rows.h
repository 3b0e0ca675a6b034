#pragma once

#include <vector>

#include "taffeta/sparse/block_matrix.h"

/// Matrices of other programs, which come as compressed rows: row i owns the entries
/// row_begin[i] ... row_begin[i + 1] - 1, columns ascending. The patterns are checked to the last
/// entry, because nothing behind this door does it again.
namespace taffeta::sparse {

/// Rows that are missing until the dimension is a multiple of three: 0, 1 or 2.
inline Index padding(Index rows) {
    return (3 - rows % 3) % 3;
}

/// The vector with `count` zeros behind it.
VecX padded(const VecX& values, Index count);

/// The pattern of a block matrix. Throws bad input with a sentence about the first row that breaks
/// a rule: row starts that do not ascend from 0, a column out of range, unsorted or repeated, no
/// diagonal block, block (i, j) without (j, i).
Pattern copy_pattern(Index rows, const Index* row_begin, const Index* column);

/// The way from a scalar matrix in compressed rows into 3x3 blocks.
///
/// The three rows of a vertex may have different columns: a block is there when one of its numbers
/// is, and the others are zero. A dimension that is no multiple of three is padded with a unit
/// diagonal, which leaves the solution alone. The pattern of the blocks, not of the numbers, must
/// be symmetric.
class BlockGather {
  public:
    BlockGather() = default;
    /// Copies the arrays. Throws like `copy_pattern`.
    BlockGather(Index rows, const Index* row_begin, const Index* column);

    Index rows() const { return rows_; }  ///< of the scalar matrix
    Index entries() const { return Index(column_.size()); }
    const std::vector<Index>& row_begin() const { return row_begin_; }
    const Pattern& pattern() const { return pattern_; }
    bool same_pattern(Index rows, const Index* row_begin, const Index* column) const;
    /// Fills a matrix of that pattern from the numbers in the order of the rows.
    void fill(const double* value, Matrix3& A) const;

  private:
    void make_blocks();

    Index rows_ = 0;
    std::vector<Index> row_begin_, column_;
    Pattern pattern_;
};

}  // namespace taffeta::sparse

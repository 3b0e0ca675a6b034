#pragma once

#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/solve/sa/simd.h"
#include "taffeta/sparse/block_matrix.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::solve::sa {

/// The blocks of scale (S A S + sigma (I - S)), made in single precision as they are asked for: what
/// reads each block once needs no copy of them all.
class FilteredRows {
  public:
    /// `pattern` is the one of the finest level, whose position p is vertex `vertex[p]` of A and whose
    /// slot s is slot `source[s]`. All must outlive this.
    FilteredRows(const sparse::Matrix3& A, const sparse::NodeFilter& filter, double scale,
                 const SquareRows<3>& pattern, const std::vector<Index>& vertex,
                 const std::vector<Index>& source, const std::vector<char>& constrained)
        : row_begin(pattern.row_begin),
          column(pattern.column),
          diagonal(pattern.diagonal),
          inverse_diagonal(pattern.inverse_diagonal),
          A_(A),
          filter_(filter),
          scale_(scale),
          vertex_(vertex),
          source_(source),
          constrained_(constrained) {}

    const std::vector<Index>&row_begin, &column, &diagonal;
    const FloatArray& inverse_diagonal;

    Index rows() const { return Index(diagonal.size()); }
    /// The block of slot s, in row i, column-major.
    const float* fetch(Index i, Index s, float* scratch) const {
        if (const Index ahead = s + slots_ahead; ahead < Index(source_.size())) prefetch(ahead);
        write(i, column[std::size_t(s)], source_[std::size_t(s)], false, scratch);
        return scratch;
    }
    const float* fetch_diagonal(Index i, float* scratch) const {
        if (i + rows_ahead < rows()) prefetch(diagonal[std::size_t(i + rows_ahead)]);
        const Index slot = source_[std::size_t(diagonal[std::size_t(i)])];
        write(i, i, slot, false, scratch);
        return scratch;
    }
    /// Rows in the order of the level are no stream of A that a processor foresees.
    void prefetch(Index s) const {
        const double* a = A_.slot(source_[std::size_t(s)]);
        __builtin_prefetch(a);
        __builtin_prefetch(a + 8);
    }
    /// The block of slot s, between positions i and j, row-major.
    void write_row_major(Index i, Index j, Index s, float* out) const {
        write(i, j, source_[std::size_t(s)], true, out);
    }

  private:
    static constexpr Index slots_ahead = 40;
    static constexpr Index rows_ahead = 8;

    /// The block between positions i and j from that slot of A.
    void write(Index i, Index j, Index slot, bool row_major, float* out) const {
        const double* a = A_.slot(slot);
        if (!constrained_[std::size_t(i)] && !constrained_[std::size_t(j)])
            return copy_block(a, scale_, row_major, out);
        // S_i A_ij S_j + sigma (I - S_i) on the diagonal
        const Mat3 block = Eigen::Map<const Mat3>(a), S_i = projector(i), S_j = projector(j);
        Mat3 filtered = S_i * block * S_j;
        if (i == j) filtered += block.trace() / 3 * (Mat3::Identity() - S_i);
        copy_block(filtered.data(), scale_, row_major, out);
    }

    Mat3 projector(Index p) const {
        if (!constrained_[std::size_t(p)]) return Mat3::Identity();
        return filter_.find(vertex_[std::size_t(p)])->projector;
    }

    const sparse::Matrix3& A_;
    const sparse::NodeFilter& filter_;
    const double scale_;
    const std::vector<Index>&vertex_, &source_;
    const std::vector<char>& constrained_;
};

}  // namespace taffeta::solve::sa

#pragma once

#include "taffeta/solve/sa/simd.h"
#include "taffeta/sparse/block_matrix.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::solve::sa {

/// The blocks of scale (S A S + sigma (I - S)), made in single precision as they are asked for. An entry
/// is a vertex, in the order of A; its row on the finest level is its position there.
class FilteredRows {
  public:
    /// `vertex`: position -> vertex; `position`: vertex -> position or -1; `constrained` is per position.
    /// All must outlive this.
    FilteredRows(const sparse::Matrix3& A, const sparse::NodeFilter& filter, double scale,
                 const std::vector<Index>& vertex, const std::vector<Index>& position,
                 const std::vector<char>& constrained)
        : A_(A),
          filter_(filter),
          scale_(scale),
          vertex_(vertex),
          position_(position),
          constrained_(constrained) {}

    Index entries() const { return Index(position_.size()); }
    Index entry_of(Index row) const { return vertex_[std::size_t(row)]; }
    bool is_constrained(Index row) const { return constrained_[std::size_t(row)] != 0; }
    const sparse::BlockPattern& pattern() const { return A_.pattern(); }
    Index row_of(Index entry) const { return position_[std::size_t(entry)]; }
    /// Blocks between position i and those of `columns`, which A has in `slots`, one after the other.
    void write_row_major(Index i, Index count, const Index* columns, const Index* slots,
                         float* out) const {
        // In local variables: a store of a register of floats might change what is read through `this`.
        const double* const a = A_.slot(0);
        const char* const constrained = constrained_.data();
        const double scale = scale_;
        for (Index k = 0; k < count; ++k, out += 9) {
            if (constrained[i] | constrained[columns[k]])
                write_filtered(i, columns[k], slots[k], true, out);
            else
                copy_block(a + std::size_t(slots[k]) * 9, scale, true, out);
        }
    }
    void write_column_major(Index i, Index j, Index slot, float* out) const {
        if (constrained_[std::size_t(i)] | constrained_[std::size_t(j)])
            write_filtered(i, j, slot, false, out);
        else
            copy_block(A_.slot(slot), scale_, false, out);
    }
    void write_diagonal(Index i, Index entry, float* out) const {
        write_column_major(i, i, A_.pattern().diagonal[std::size_t(entry)], out);
    }
    /// Rows in the order of the level are no stream of A that a processor foresees.
    void prefetch(Index slot) const {
        __builtin_prefetch(A_.slot(slot));
        __builtin_prefetch(A_.slot(slot) + 8);
    }

  private:
    /// S_i A_ij S_j + sigma (I - S_i) on the diagonal
    void write_filtered(Index i, Index j, Index slot, bool row_major, float* out) const {
        const Mat3 block = A_.block(slot), S_i = projector(i), S_j = projector(j);
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
    const std::vector<Index>&vertex_, &position_;
    const std::vector<char>& constrained_;
};

}  // namespace taffeta::solve::sa

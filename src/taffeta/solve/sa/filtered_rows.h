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
        const double* const left = projector(i);
        for (Index k = 0; k < count; ++k, out += 9) {
            Rows3 rows = rows_of(a + std::size_t(slots[k]) * 9, scale, true);
            if (left || constrained[columns[k]]) rows = filtered(left, rows, projector(columns[k]));
            store_rows3(out, rows);
        }
    }
    void write_column_major(Index i, Index j, Index slot, float* out) const {
        const double *const a = A_.slot(slot), *const left = projector(i);
        Rows3 columns = rows_of(a, scale_, false);
        if (left || constrained_[std::size_t(j)]) columns = filtered(projector(j), columns, left);
        if (left && i == j) {
            // sigma (I - S_i)
            const double sigma = scale_ * (a[0] + a[4] + a[8]) / 3;
            const Mat3 held = sigma * (Mat3::Identity() - Eigen::Map<const Mat3>(left));
            const Rows3 more = rows_of(held.data(), 1, false);
            for (int k = 0; k < 3; ++k)
                columns.row[k] = add4(columns.row[k], more.row[k]);
        }
        store_rows3(out, columns);
    }
    void write_diagonal(Index i, Index entry, float* out) const {
        write_column_major(i, i, A_.pattern().diagonal[std::size_t(entry)], out);
    }
    /// Asks for the blocks of an entry.
    void ask_for(Index entry) const {
        constexpr int line = 8;  // doubles
        const Index* const row = A_.pattern().row_begin.data() + entry;
        for (const double *p = A_.slot(row[0]), *end = A_.slot(row[1]); p < end; p += line)
            __builtin_prefetch(p);
    }
    /// Rows in the order of the level are no stream of A that a processor foresees.
    void prefetch(Index slot) const {
        __builtin_prefetch(A_.slot(slot));
        __builtin_prefetch(A_.slot(slot) + 8);
    }

  private:
    /// left a right, of which null is one. Both are symmetric.
    static Rows3 filtered(const double* left, Rows3 a, const double* right) {
        if (left) a = product3(rows_of(left, 1, false), a);
        return right ? product3(a, rows_of(right, 1, false)) : a;
    }
    /// S of a position, or null where it is free.
    const double* projector(Index p) const {
        if (!constrained_[std::size_t(p)]) return nullptr;
        return filter_.find(vertex_[std::size_t(p)])->projector.data();
    }

    const sparse::Matrix3& A_;
    const sparse::NodeFilter& filter_;
    const double scale_;
    const std::vector<Index>&vertex_, &position_;
    const std::vector<char>& constrained_;
};

}  // namespace taffeta::solve::sa

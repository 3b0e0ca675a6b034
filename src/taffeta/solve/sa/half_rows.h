#pragma once

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/solve/sa/ordering.h"

/// A symmetric matrix as Gauss-Seidel reads it: half of it, cut at the ends of the strips.
///
///       strip 0   strip 1
///     [ D .  .    .  .  . ]      within a strip the blocks L below the diagonal alone are kept;
///     [ L D  .    C  .  . ]      their transposes are the blocks above it
///     [ L L  D    C  .  . ]
///     [ .  C C    D  .  . ]      between strips all blocks C are kept, row by row: they are few,
///     [ .  .  .   L  D  . ]      and so no row adds into a row of another strip
///     [ .  .  .   .  L  D ]
///
/// A sweep uses a block twice while it lies in a register: for its own row, and transposed for the
/// row of its column. Blocks are row-major, so that the first use is products of rows with x_j,
/// summed up lane by lane, and the second is sums of rows times the numbers of x_i. Why not all
/// blocks? They are twice the bytes, and on meshes of ten thousand vertices and more a sweep waits
/// for bytes.
namespace taffeta::solve::sa {

template <int B>
struct HalfRows {
    /// Blocks of rows, in order.
    struct Blocks {
        std::vector<Index> begin{0}, column;
        FloatArray value;

        const float* block(Index s) const { return value.data() + std::size_t(s) * (B * B); }
        float* block(Index s) { return value.data() + std::size_t(s) * (B * B); }
        std::size_t bytes() const {
            return value.bytes() + (begin.size() + column.size()) * sizeof(Index);
        }
    };

    Strips strips;
    Blocks lower;                    ///< L of every row
    Blocks cross;                    ///< C of the rows in `cross_row`
    std::vector<Index> cross_row;    ///< ascending
    std::vector<Index> strip_cross;  ///< where those of a strip begin; #strips + 1
    /// D, for what makes the next level. The cycles have its memory afterwards.
    mutable FloatArray diagonal;
    std::vector<Index> lower_source;  ///< the slots of the matrix that blocks are from
    std::vector<Index> cross_source;

    Index rows() const { return Index(lower.begin.size()) - 1; }
    /// Of the whole matrix.
    std::size_t blocks() const {
        return 2 * lower.column.size() + cross.column.size() + std::size_t(rows());
    }
    const float* diagonal_block(Index i) const {
        return diagonal.data() + std::size_t(i) * (B * B);
    }
    std::size_t bytes() const {
        return lower.bytes() + cross.bytes() + diagonal.bytes() +
               (cross_row.size() + cross_at_.size() + lower_source.size() + cross_source.size()) *
                   sizeof(Index);
    }

    /// Takes the pattern of A.
    void set_pattern(const SquareRows<B>& A, const Strips& cut);

    /// Memory for the values, should it have been given away.
    void reserve() {
        lower.value.resize(lower.column.size() * B * B);
        cross.value.resize(cross.column.size() * B * B);
        diagonal.resize(std::size_t(rows()) * B * B);
    }

    /// Takes the values from SquareRows<B> or FilteredRows, in the order in which that has its rows: what
    /// is read is more than what is written, and reads in a row are the faster ones.
    template <class From>
    void load(const From& from) {
        reserve();
        parallel_for(from.entries(), rows_per_load, [&](Index entry) {
            if (entry + rows_ahead < from.entries()) {
                from.ask_for(entry + rows_ahead);
                prefetch(from.row_of(entry + rows_ahead));
            }
            const Index i = from.row_of(entry);
            if (i < 0) return;
            const auto copy = [&](Blocks& blocks, const std::vector<Index>& source, Index row) {
                const Index first = blocks.begin[std::size_t(row)];
                from.write_row_major(i, blocks.begin[std::size_t(row) + 1] - first,
                                     blocks.column.data() + first, source.data() + first,
                                     blocks.block(first));
            };
            copy(lower, lower_source, i);
            from.write_diagonal(i, entry, diagonal.data() + std::size_t(i) * (B * B));
            if (const Index k = cross_at_[std::size_t(i)]; k >= 0) copy(cross, cross_source, k);
        });
    }

  private:
    void prefetch(Index i) const {
        if (i < 0) return;
        constexpr int line = 16;  // floats
        const Index first = lower.begin[std::size_t(i)], last = lower.begin[std::size_t(i) + 1];
        __builtin_prefetch(lower_source.data() + first);
        __builtin_prefetch(lower.column.data() + first);
        for (const float *p = lower.block(first), *end = lower.block(last); p < end; p += line)
            __builtin_prefetch(p, 1);
        __builtin_prefetch(diagonal_block(i), 1);
    }

    static constexpr Index rows_per_load = 1024, rows_ahead = 8;
    std::vector<Index> cross_at_;  ///< row -> its place in `cross_row`, or -1
};

}  // namespace taffeta::solve::sa

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
        std::vector<Index> begin{0}, column, source;  ///< source: the slot that the block is from
        FloatArray value;

        const float* block(Index s) const { return value.data() + std::size_t(s) * (B * B); }
        float* block(Index s) { return value.data() + std::size_t(s) * (B * B); }
        std::size_t bytes() const {
            return value.bytes() + (begin.size() + column.size() + source.size()) * sizeof(Index);
        }
    };

    Strips strips;
    Blocks lower;                    ///< L of every row
    Blocks cross;                    ///< C of the rows in `cross_row`
    std::vector<Index> cross_row;    ///< ascending
    std::vector<Index> strip_cross;  ///< where those of a strip begin; #strips + 1

    Index rows() const { return Index(lower.begin.size()) - 1; }
    std::size_t bytes() const { return lower.bytes() + cross.bytes(); }

    /// Takes the pattern of A, whose slots become the sources.
    void set_pattern(const SquareRows<B>& A, const Strips& cut);

    /// Takes the values from SquareRows<B> or FilteredRows.
    template <class From>
    void load(const From& from) {
        parallel_for(rows(), rows_per_load, [&](Index i) { load_row(lower, i, i, from); });
        parallel_for(Index(cross_row.size()), rows_per_load,
                     [&](Index k) { load_row(cross, k, cross_row[std::size_t(k)], from); });
    }

  private:
    static constexpr Index rows_per_load = 1024, slots_ahead = 24;

    template <class From>
    static void load_row(Blocks& blocks, Index k, Index i, const From& from) {
        for (Index s = blocks.begin[std::size_t(k)]; s < blocks.begin[std::size_t(k) + 1]; ++s) {
            if (s + slots_ahead < Index(blocks.source.size()))
                from.prefetch(blocks.source[std::size_t(s + slots_ahead)]);
            from.write_row_major(i, blocks.column[std::size_t(s)], blocks.source[std::size_t(s)],
                                 blocks.block(s));
        }
    }
};

}  // namespace taffeta::solve::sa

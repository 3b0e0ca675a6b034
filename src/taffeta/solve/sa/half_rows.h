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
    Blocks lower;                     ///< L of every row
    Blocks cross;                     ///< C of the rows in `cross_row`
    std::vector<Index> cross_row;     ///< ascending
    std::vector<Index> cross_source;  ///< the slots of the matrix that these blocks are from
    std::vector<Index> strip_cross;   ///< where those of a strip begin; #strips + 1

    Index rows() const { return Index(lower.begin.size()) - 1; }
    std::size_t bytes() const {
        return lower.bytes() + cross.bytes() +
               (cross_row.size() + cross_source.size()) * sizeof(Index);
    }

    /// Takes the pattern of A.
    void set_pattern(const SquareRows<B>& A, const Strips& cut);

    /// Takes the values from SquareRows<B> or FilteredRows with that pattern.
    template <class From>
    void load(const From& from) {
        parallel_for(rows(), rows_per_load, [&](Index i) {
            // Those of a row in its strip stand together, right before its diagonal.
            const auto source = [&](Index row) {
                return from.diagonal[std::size_t(row)] - lower.begin[std::size_t(row) + 1];
            };
            if (const Index later = i + rows_ahead; later < rows())
                for (Index s = lower.begin[std::size_t(later)];
                     s < lower.begin[std::size_t(later) + 1]; ++s)
                    from.prefetch(source(later) + s);
            for (Index s = lower.begin[std::size_t(i)]; s < lower.begin[std::size_t(i) + 1]; ++s)
                from.write_row_major(i, lower.column[std::size_t(s)], source(i) + s,
                                     lower.block(s));
        });
        parallel_for(Index(cross_row.size()), rows_per_load, [&](Index k) {
            for (Index s = cross.begin[std::size_t(k)]; s < cross.begin[std::size_t(k) + 1]; ++s)
                from.write_row_major(cross_row[std::size_t(k)], cross.column[std::size_t(s)],
                                     cross_source[std::size_t(s)], cross.block(s));
        });
    }

  private:
    static constexpr Index rows_per_load = 1024, rows_ahead = 5;
};

}  // namespace taffeta::solve::sa

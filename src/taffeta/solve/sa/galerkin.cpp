#include "taffeta/solve/sa/galerkin.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"
#include "taffeta/solve/sa/small_cholesky.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index rows_per_task = 512;
/// A chunk of a pattern has a mark for each coarse row: so many chunks at most, however large the mesh.
constexpr Index pattern_rows = 4096, coarse_pattern_rows = 1024, most_chunks = 64;

Index pattern_grain(Index rows, Index at_least) {
    return std::max(at_least, (rows + most_chunks - 1) / most_chunks);
}

/// Which columns were met while one row of a product was put together.
class MetColumns {
  public:
    explicit MetColumns(Index columns) : last_row_(std::size_t(columns), -1) {}

    bool is_new(Index column, Index row) {
        return std::exchange(last_row_[std::size_t(column)], row) != row;
    }

  private:
    std::vector<Index> last_row_;
};

/// The pattern of A P, columns as they come. Chunk c has rows [c, c + 1) * grain.
struct ProductPattern {
    struct Chunk {
        std::vector<Index> begin{0}, column;
    };
    std::vector<Chunk> chunks;
    Index grain = 1;

    std::span<const Index> row(Index i) const {
        const Chunk& chunk = chunks[std::size_t(i / grain)];
        const Index* begin = chunk.begin.data() + i % grain;
        return {chunk.column.data() + begin[0], chunk.column.data() + begin[1]};
    }
};

template <int B, int C>
ProductPattern pattern_of_product(const SquareRows<B>& A, const ProlongatorRows<B, C>& P,
                                  Index columns) {
    ProductPattern product;
    product.grain = pattern_grain(A.rows(), pattern_rows);
    product.chunks.resize(std::size_t((A.rows() + product.grain - 1) / product.grain));
    parallel_chunks(A.rows(), product.grain, [&](Index first, Index last) {
        ProductPattern::Chunk& chunk = product.chunks[std::size_t(first / product.grain)];
        MetColumns met(columns);
        for (Index i = first; i < last; ++i) {
            // A row that P leaves empty has no part in P' (A P).
            const bool used = P.row_begin[std::size_t(i)] < P.row_begin[std::size_t(i) + 1];
            for (Index s = A.row_begin[std::size_t(i)]; used && s < A.row_begin[std::size_t(i) + 1];
                 ++s) {
                const std::size_t j = std::size_t(A.column[std::size_t(s)]);
                for (Index t = P.row_begin[j]; t < P.row_begin[j + 1]; ++t)
                    if (const Index c = P.column[std::size_t(t)]; met.is_new(c, i))
                        chunk.column.push_back(c);
            }
            chunk.begin.push_back(Index(chunk.column.size()));
        }
    });
    return product;
}

/// The fine rows that P couples with each coarse row, ascending.
struct RowsOfColumns {
    template <int B, int C>
    RowsOfColumns(const ProlongatorRows<B, C>& P, Index columns)
        : begin(std::size_t(columns) + 1, 0), row(P.column.size()) {
        for (const Index c : P.column)
            ++begin[std::size_t(c) + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        std::vector<Index> next(begin.begin(), begin.end() - 1);
        for (Index i = 0; i + 1 < Index(P.row_begin.size()); ++i)
            for (Index s = P.row_begin[std::size_t(i)]; s < P.row_begin[std::size_t(i) + 1]; ++s)
                row[std::size_t(next[std::size_t(P.column[std::size_t(s)])]++)] = i;
    }

    std::span<const Index> of(Index column) const {
        return {row.data() + begin[std::size_t(column)],
                row.data() + begin[std::size_t(column) + 1]};
    }

    std::vector<Index> begin, row;
};

}  // namespace

template <int B, int C>
void make_galerkin_pattern(const SquareRows<B>& A, const ProlongatorRows<B, C>& P,
                           Index coarse_rows, SquareRows<C>& coarse) {
    // Pattern of P' (A P): for each coarse row, the union of the product columns of its fine rows.
    const ProductPattern product = pattern_of_product(A, P, coarse_rows);
    const RowsOfColumns rows_of(P, coarse_rows);
    std::vector<std::vector<Index>> columns(static_cast<std::size_t>(coarse_rows));
    const Index grain = pattern_grain(coarse_rows, coarse_pattern_rows);
    parallel_chunks(coarse_rows, grain, [&](Index first, Index last) {
        MetColumns met(coarse_rows);
        for (Index c = first; c < last; ++c) {
            std::vector<Index>& row = columns[std::size_t(c)];
            met.is_new(c, c);
            row.push_back(c);
            for (const Index i : rows_of.of(c))
                for (const Index other : product.row(i))
                    if (met.is_new(other, c)) row.push_back(other);
            std::sort(row.begin(), row.end());
        }
    });
    coarse.row_begin.assign(1, 0);
    for (const std::vector<Index>& row : columns)
        coarse.row_begin.push_back(coarse.row_begin.back() + Index(row.size()));
    coarse.column.resize(std::size_t(coarse.row_begin.back()));
    coarse.diagonal.resize(std::size_t(coarse_rows));
    parallel_for(coarse_rows, coarse_pattern_rows, [&](Index c) {
        const std::vector<Index>& row = columns[std::size_t(c)];
        const Index begin = coarse.row_begin[std::size_t(c)];
        std::copy(row.begin(), row.end(), coarse.column.begin() + begin);
        coarse.diagonal[std::size_t(c)] =
            begin + Index(std::lower_bound(row.begin(), row.end(), c) - row.begin());
    });
    coarse.inverse_diagonal.resize(std::size_t(coarse_rows) * C * stride<C>);
}

namespace {

/// The slot of a column that the row from `begin` on has; `total` slots in all. Sixteen at a time, as a
/// processor foresees neither the steps of a search nor those of a loop.
inline Index slot_of(const Index* columns, Index begin, Index total, Index column) {
    for (; begin + 16 <= total; begin += 16)
        if (const unsigned equal = equal_columns(columns + begin, column) |
                                   equal_columns(columns + begin + 8, column) << 8;
            equal != 0)
            return begin + Index(std::countr_zero(equal));
    while (begin + 1 < total && columns[begin] != column)
        ++begin;
    return begin;
}

/// Chunks of rows of G = P' (L + D/2) P. Its pointers are read into local variables, as a store of a
/// register of floats might change them, for all the compiler knows.
template <int B, int C>
class HalfProduct {
  public:
    HalfProduct(const HalfRows<B>& A, const ProlongatorRows<B, C>& P, SquareRows<C>& coarse)
        : A_(A), P_(P), coarse_(coarse) {
        Index blocks = 0, crossing = 0, columns = 0;
        const auto widest = [](const std::vector<Index>& begin, Index& most) {
            for (std::size_t i = 0; i + 1 < begin.size(); ++i)
                most = std::max(most, begin[i + 1] - begin[i]);
        };
        widest(A.lower.begin, blocks);
        widest(A.cross.begin, crossing);
        widest(P.row_begin, columns);
        most_columns_ = std::min<std::size_t>(
            std::size_t(1 + blocks + crossing) * std::size_t(columns), coarse.diagonal.size());
    }

    void run(Index begin, Index end, Workspace& workspace) const {
        if (workspace.place.size() < coarse_.diagonal.size())
            workspace.place.resize(coarse_.diagonal.size(), -1);
        workspace.columns.resize(most_columns_);
        workspace.sums.resize(most_columns_ * B * wide);
        const Index *const p_begin = P_.row_begin.data(), *const p_column = P_.column.data();
        const Index *const lower_begin = A_.lower.begin.data(), *const lower_column =
                                                                    A_.lower.column.data();
        const float* const lower = A_.lower.value.data();
        const Fixed* const p_value = P_.value.data();
        const Index *const coarse_begin = coarse_.row_begin.data(), *const coarse_column =
                                                                        coarse_.column.data();
        float* const coarse = coarse_.value.data();
        const Index slots = coarse_begin[coarse_.diagonal.size()];
        Index* const columns = workspace.columns.data();
        float* const product = workspace.sums.data();
        std::size_t k =
            std::size_t(std::lower_bound(A_.cross_row.begin(), A_.cross_row.end(), begin) -
                        A_.cross_row.begin());
        for (Index i = begin; i < end; ++i) {
            const std::size_t here = k;
            k += k < A_.cross_row.size() && A_.cross_row[k] == i;
            if (p_begin[i] == p_begin[i + 1]) continue;
            ProductRow row{columns, workspace.place.data(), product, 0};
            float half[B * B];
            for (int n = 0; n < B * B; ++n)
                half[n] = 0.5f * A_.diagonal_block(i)[n];
            row = add(half, p_begin[i], p_begin[i + 1], p_column, p_value, row);
            for (Index s = lower_begin[i], last = lower_begin[i + 1]; s < last; ++s) {
                const Index j = lower_column[s];
                row = add(lower + std::size_t(s) * (B * B), p_begin[j], p_begin[j + 1], p_column,
                          p_value, row);
            }
            if (k > here)
                for (Index s = A_.cross.begin[here]; s < A_.cross.begin[k]; ++s)
                    if (const Index j = A_.cross.column[std::size_t(s)]; j < i)
                        row = add(A_.cross.block(s), p_begin[j], p_begin[j + 1], p_column, p_value,
                                  row);
            for (Index s = p_begin[i], last = p_begin[i + 1]; s < last; ++s) {
                const Index first = coarse_begin[p_column[s]];
                Vector p[B * C];
                for (int r = 0; r < B; ++r) {
                    const Vector row_of_p =
                        Row::load_fixed(p_value + std::size_t(s) * (B * C) + r * C);
                    for (int n = 0; n < C; ++n)
                        p[r * C + n] = Row::broadcast(row_of_p, n);
                }
                for (Index c = 0; c < row.count; ++c) {
                    const Index slot = slot_of(coarse_column, first, slots, columns[c]);
                    add_transposed(p, product + std::size_t(c) * (B * wide),
                                   coarse + std::size_t(slot) * (C * C));
                }
            }
            for (Index c = 0; c < row.count; ++c)
                row.place[columns[c]] = -1;
        }
    }

  private:
    using Row = RowOf<C>;
    using Vector = typename Row::vector;
    static constexpr int wide = stride<C>;

    /// Blocks of B x C, their rows padded, in the order in which they come.
    struct ProductRow {
        Index *columns, *place;
        float* blocks;
        Index count;
    };

    /// Adds a P_j for a row-major block a.
    static ProductRow add(const float* a, Index first, Index last, const Index* p_column,
                          const Fixed* p_value, ProductRow row) {
        Vector number[B * B];
        for (int n = 0; n < B * B; ++n)
            number[n] = Row::spread(a + n);
        for (Index t = first; t < last; ++t) {
            const Fixed* const p = p_value + std::size_t(t) * (B * C);
            const Index column = p_column[t];
            Index place = row.place[column];
            const bool is_new = place < 0;
            if (is_new) {
                place = row.count++;
                row.place[column] = place;
                row.columns[place] = column;
            }
            float* const out = row.blocks + std::size_t(place) * (B * wide);
            Vector pk[B];
            for (int n = 0; n < B; ++n)
                pk[n] = Row::load_fixed(p + n * C);
            for (int r = 0; r < B; ++r) {
                // Summed up apart, so that neighbours of one aggregate wait for one addition alone.
                Vector sum = Row::multiply_add(number[r * B], pk[0], Row::zero());
                for (int n = 1; n < B; ++n)
                    sum = Row::multiply_add(number[r * B + n], pk[n], sum);
                if (!is_new) sum = Row::add(Row::load(out + r * wide), sum);
                Row::store(out + r * wide, sum);
            }
        }
        return row;
    }

    /// out += p' w for blocks of B x C, row-major; the rows of w are padded, those of out are not.
    static void add_transposed(const Vector* p, const float* w, float* out) {
        Vector row[B], sum[C];
        for (int r = 0; r < B; ++r)
            row[r] = Row::load(w + r * wide);
        for (int m = 0; m < C; ++m) {
            sum[m] = Row::load_rough(out + m * C);
            for (int r = 0; r < B; ++r)
                sum[m] = Row::multiply_add(p[r * C + m], row[r], sum[m]);
        }
        // A row may write over the beginning of the next one, which follows, but what is behind the block
        // may belong to another thread.
        for (int m = 0; m + 1 < C; ++m)
            storeu(out + m * C, sum[m]);
        Row::store_exact(out + (C - 1) * C, sum[C - 1]);
    }

    const HalfRows<B>& A_;
    const ProlongatorRows<B, C>& P_;
    SquareRows<C>& coarse_;
    std::size_t most_columns_ = 0;
};

/// G + G' in the place of G, which is in the units of P, squared; and its diagonal where modes are missing.
template <int C>
void add_transpose(const std::vector<unsigned char>& missing, SquareRows<C>& coarse) {
    using Block = Eigen::Matrix<float, C, C>;
    constexpr float unit = fixed_unit * fixed_unit;
    parallel_for(Index(coarse.diagonal.size()), 64, [&](Index I) {
        for (Index s = coarse.diagonal[std::size_t(I)]; s < coarse.row_begin[std::size_t(I) + 1];
             ++s) {
            const Index J = coarse.column[std::size_t(s)];
            Eigen::Map<Block> upper(coarse.block(s));
            if (J == I) {
                upper = (unit * (upper + upper.transpose())).eval();
                const float scale = std::max(upper.trace() / C, 1e-30f);
                for (int k = 0; k < C; ++k)
                    if (missing[std::size_t(I)] & (1u << k)) upper(k, k) = scale;
                continue;
            }
            const Index* first = coarse.column.data() + coarse.row_begin[std::size_t(J)];
            const Index* last = coarse.column.data() + coarse.diagonal[std::size_t(J)];
            const Index mirror = Index(std::lower_bound(first, last, I) - coarse.column.data());
            Eigen::Map<Block> lower(coarse.block(mirror));
            // Both were made row-major and shall be column-major.
            const Block sum = unit * (lower + upper.transpose());
            upper = sum;
            lower = sum.transpose();
        }
    });
}

}  // namespace

template <int B, int C>
void galerkin_product(const HalfRows<B>& A, const ProlongatorRows<B, C>& P,
                      const std::vector<unsigned char>& missing, Workspaces& workspaces,
                      SquareRows<C>& coarse) {
    coarse.value.resize(coarse.column.size() * C * C);
    coarse.value.set_zero();
    const HalfProduct<B, C> product(A, P, coarse);
    for (const auto& chunks : P.color)
        parallel_for(Index(chunks.size()), 1, [&](Index c) {
            Workspaces::Lease workspace(workspaces);
            product.run(chunks[std::size_t(c)].begin, chunks[std::size_t(c)].end, *workspace);
        });
    add_transpose(missing, coarse);
}

template <int B>
Index invert_diagonal(SquareRows<B>& A) {
    using Block = Eigen::Matrix<float, B, B>;
    return invert_blocks<B>(A.rows(), A.inverse_diagonal, [&](Index i) -> Block {
        return Eigen::Map<const Block>(A.block(A.diagonal[std::size_t(i)]));
    });
}

template <int C>
void strengthen_diagonal(SquareRows<C>& A) {
    using Block = Eigen::Matrix<float, C, C>;
    parallel_for(A.rows(), rows_per_task, [&](Index i) {
        Eigen::Map<Block> D(A.block(A.diagonal[std::size_t(i)]));
        const float unit = std::max(D.trace() / C, 1e-30f);
        Block factor;
        for (float shift = 1e-6f; shift < 1; shift *= 10) {
            if (inverse_cholesky_factor<C>(D, factor)) return;
            D.diagonal().array() += shift * unit;
        }
    });
}

#define TAFFETA_INSTANTIATE(B, C)                                                                 \
    template void make_galerkin_pattern<B, C>(const SquareRows<B>&, const ProlongatorRows<B, C>&, \
                                              Index, SquareRows<C>&);                             \
    template void galerkin_product<B, C>(const HalfRows<B>&, const ProlongatorRows<B, C>&,        \
                                         const std::vector<unsigned char>&, Workspaces&,          \
                                         SquareRows<C>&);
TAFFETA_INSTANTIATE(3, 3)
TAFFETA_INSTANTIATE(3, 6)
TAFFETA_INSTANTIATE(6, 6)
#undef TAFFETA_INSTANTIATE
template Index invert_diagonal<3>(SquareRows<3>&);
template Index invert_diagonal<6>(SquareRows<6>&);
template void strengthen_diagonal<3>(SquareRows<3>&);
template void strengthen_diagonal<6>(SquareRows<6>&);

}  // namespace taffeta::solve::sa

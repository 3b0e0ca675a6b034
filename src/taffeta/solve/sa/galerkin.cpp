#include "taffeta/solve/sa/galerkin.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/filtered_rows.h"
#include "taffeta/solve/sa/kernels.h"
#include "taffeta/solve/sa/small_cholesky.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index rows_per_task = 512;
/// A chunk of a pattern has a mark for each coarse row.
constexpr Index pattern_rows = 4096, coarse_pattern_rows = 1024;

void grow(FloatArray& array, std::size_t count) {
    FloatArray larger;
    larger.resize(count);
    std::copy_n(array.data(), array.size(), larger.data());
    array = std::move(larger);
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

/// The pattern of A P, columns as they come. Chunk c has rows [c, c + 1) * pattern_rows.
struct ProductPattern {
    struct Chunk {
        std::vector<Index> begin{0}, column;
    };
    std::vector<Chunk> chunks;

    std::span<const Index> row(Index i) const {
        const Chunk& chunk = chunks[std::size_t(i / pattern_rows)];
        const Index* begin = chunk.begin.data() + i % pattern_rows;
        return {chunk.column.data() + begin[0], chunk.column.data() + begin[1]};
    }
};

template <int B, int C>
ProductPattern pattern_of_product(const SquareRows<B>& A, const ProlongatorRows<B, C>& P,
                                  Index columns) {
    ProductPattern product;
    product.chunks.resize(std::size_t((A.rows() + pattern_rows - 1) / pattern_rows));
    parallel_chunks(A.rows(), pattern_rows, [&](Index first, Index last) {
        ProductPattern::Chunk& chunk = product.chunks[std::size_t(first / pattern_rows)];
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
    parallel_chunks(coarse_rows, coarse_pattern_rows, [&](Index first, Index last) {
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

/// One row of A P: blocks of B x C, their rows padded, with their columns ascending.
template <int B, int C>
class ProductRow {
  public:
    explicit ProductRow(std::size_t coarse_rows) : place_(coarse_rows, -1) {}

    template <class Rows>
    void compute(const Rows& A, const ProlongatorRows<B, C>& P, Index i) {
        for (const Index c : columns_)
            place_[std::size_t(c)] = -1;
        columns_.clear();
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = A.column[std::size_t(s)];
            const Index first = P.row_begin[std::size_t(j)], last = P.row_begin[std::size_t(j) + 1];
            if (first == last) continue;
            float scratch[B * B];
            const float* a = A.fetch(i, s, scratch);
            for (Index t = first; t < last; ++t)
                add(a, P.block(t), block_of(P.column[std::size_t(t)]));
        }
        std::sort(columns_.begin(), columns_.end());
    }

    const std::vector<Index>& columns() const { return columns_; }
    const float* block(Index column) const {
        return blocks_.data() + std::size_t(place_[std::size_t(column)]) * B * stride<C>;
    }

  private:
    using Row = RowOf<C>;
    static constexpr int wide = stride<C>;

    float* block_of(Index column) {
        Index& place = place_[std::size_t(column)];
        if (place < 0) {
            place = Index(columns_.size());
            columns_.push_back(column);
            if (blocks_.size() < columns_.size() * B * wide)
                grow(blocks_, columns_.size() * 2 * B * wide);
            std::fill_n(blocks_.data() + std::size_t(place) * B * wide, B * wide, 0.0f);
        }
        return blocks_.data() + std::size_t(place) * B * wide;
    }
    static void add(const float* a, const float* p, float* out) {
        // Summed up apart, so that neighbours of one aggregate wait for one addition alone.
        typename Row::vector row[B];
        for (int r = 0; r < B; ++r)
            row[r] = Row::zero();
        for (int k = 0; k < B; ++k) {
            const auto pk = Row::load_rough(p + k * C);
            for (int r = 0; r < B; ++r)
                row[r] = Row::multiply_add(Row::spread(a + k * B + r), pk, row[r]);
        }
        for (int r = 0; r < B; ++r)
            Row::store(out + r * wide, Row::add(Row::load(out + r * wide), row[r]));
    }

    std::vector<Index> columns_, place_;
    FloatArray blocks_;
};

}  // namespace

template <int B, int C, class Rows>
void galerkin_product(const Rows& A, const ProlongatorRows<B, C>& P,
                      const std::vector<unsigned char>& missing, SquareRows<C>& coarse) {
    using Row = RowOf<C>;
    coarse.value.resize(coarse.column.size() * C * C);
    coarse.value.set_zero();
    const auto run = [&](const typename ProlongatorRows<B, C>::Chunk& chunk) {
        ProductRow<B, C> product(coarse.diagonal.size());
        for (Index i = chunk.begin; i < chunk.end; ++i) {
            const Index p_end = P.row_begin[std::size_t(i) + 1];
            if (P.row_begin[std::size_t(i)] == p_end) continue;
            product.compute(A, P, i);
            for (Index s = P.row_begin[std::size_t(i)]; s < p_end; ++s) {
                const Index I = P.column[std::size_t(s)];
                typename Row::vector p[B][C];
                for (int r = 0; r < B; ++r)
                    for (int m = 0; m < C; ++m)
                        p[r][m] = Row::spread(P.block(s) + r * C + m);
                Index slot = coarse.diagonal[std::size_t(I)];
                for (const Index J : product.columns()) {
                    if (J < I) continue;
                    while (coarse.column[std::size_t(slot)] < J)
                        ++slot;
                    // The block (I, J) row-major is the block (J, I) column-major: it goes to the
                    // transposed slot at the end.
                    float* out = coarse.block(slot);
                    const float* ap = product.block(J);
                    typename Row::vector row[B];
                    for (int r = 0; r < B; ++r)
                        row[r] = Row::load(ap + r * stride<C>);
                    for (int m = 0; m < C; ++m) {
                        auto sum = Row::load_rough(out + m * C);
                        for (int r = 0; r < B; ++r)
                            sum = Row::multiply_add(p[r][m], row[r], sum);
                        // The next block may belong to another thread: C floats, no padding.
                        Row::store_exact(out + m * C, sum);
                    }
                }
            }
        }
    };
    for (const auto& chunks : P.color)
        parallel_for(Index(chunks.size()), 1, [&](Index c) { run(chunks[std::size_t(c)]); });

    // Upper blocks hold row-major values: store them as they are in the lower slot (where they read
    // as the transpose) and turn them in place.
    parallel_for(Index(coarse.diagonal.size()), 64, [&](Index I) {
        for (Index s = coarse.diagonal[std::size_t(I)]; s < coarse.row_begin[std::size_t(I) + 1];
             ++s) {
            const Index J = coarse.column[std::size_t(s)];
            Eigen::Map<Eigen::Matrix<float, C, C>> upper(coarse.block(s));
            if (J == I) {
                upper = (0.5f * (upper + upper.transpose())).eval();
                const float scale = std::max(upper.trace() / C, 1e-30f);
                for (int k = 0; k < C; ++k)
                    if (missing[std::size_t(I)] & (1u << k)) upper(k, k) = scale;
                continue;
            }
            const Index* first = coarse.column.data() + coarse.row_begin[std::size_t(J)];
            const Index* last = coarse.column.data() + coarse.row_begin[std::size_t(J) + 1];
            const Index mirror = Index(std::lower_bound(first, last, I) - coarse.column.data());
            Eigen::Map<Eigen::Matrix<float, C, C>>(coarse.block(mirror)) = upper;
            upper.transposeInPlace();
        }
    });
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
    template void galerkin_product<B, C>(const SquareRows<B>&, const ProlongatorRows<B, C>&,      \
                                         const std::vector<unsigned char>&, SquareRows<C>&);
TAFFETA_INSTANTIATE(3, 3)
TAFFETA_INSTANTIATE(3, 6)
TAFFETA_INSTANTIATE(6, 6)
#undef TAFFETA_INSTANTIATE
template void galerkin_product<3, 3>(const FilteredRows&, const ProlongatorRows<3, 3>&,
                                     const std::vector<unsigned char>&, SquareRows<3>&);
template void galerkin_product<3, 6>(const FilteredRows&, const ProlongatorRows<3, 6>&,
                                     const std::vector<unsigned char>&, SquareRows<6>&);
template Index invert_diagonal<3>(SquareRows<3>&);
template Index invert_diagonal<6>(SquareRows<6>&);
template void strengthen_diagonal<3>(SquareRows<3>&);
template void strengthen_diagonal<6>(SquareRows<6>&);

}  // namespace taffeta::solve::sa

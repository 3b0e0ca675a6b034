#include "taffeta/solve/sa/galerkin.h"

#include <algorithm>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/filtered_rows.h"
#include "taffeta/solve/sa/small_cholesky.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index rows_per_task = 512;
constexpr int wide = 8;  // floats of a padded row of six

void grow(FloatArray& array, std::size_t count) {
    FloatArray larger;
    larger.resize(count);
    std::copy_n(array.data(), array.size(), larger.data());
    array = std::move(larger);
}

/// The columns of row i of A P, ascending.
template <int B>
void product_columns(const SquareRows<B>& A, const ProlongatorRows<B>& P, Index i,
                     std::vector<Index>& columns) {
    columns.clear();
    for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
        const Index j = A.column[std::size_t(s)];
        columns.insert(columns.end(), P.column.begin() + P.row_begin[std::size_t(j)],
                       P.column.begin() + P.row_begin[std::size_t(j) + 1]);
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

}  // namespace

template <int B>
void make_galerkin_pattern(const SquareRows<B>& A, const ProlongatorRows<B>& P, Index coarse_rows,
                           SquareRows<6>& coarse) {
    // Pattern of P' (A P): for each coarse row, the union of the product columns of its fine rows.
    std::vector<std::vector<Index>> row_of(static_cast<std::size_t>(coarse_rows));
    std::vector<Index> columns;
    for (Index i = 0; i < A.rows(); ++i) {
        if (P.row_begin[std::size_t(i)] == P.row_begin[std::size_t(i) + 1]) continue;
        product_columns(A, P, i, columns);
        for (Index s = P.row_begin[std::size_t(i)]; s < P.row_begin[std::size_t(i) + 1]; ++s) {
            std::vector<Index>& row = row_of[std::size_t(P.column[std::size_t(s)])];
            row.insert(row.end(), columns.begin(), columns.end());
            if (row.size() > 512) {
                std::sort(row.begin(), row.end());
                row.erase(std::unique(row.begin(), row.end()), row.end());
            }
        }
    }
    coarse.row_begin.assign(std::size_t(coarse_rows) + 1, 0);
    coarse.column.clear();
    coarse.diagonal.assign(std::size_t(coarse_rows), -1);
    for (Index c = 0; c < coarse_rows; ++c) {
        std::vector<Index>& row = row_of[std::size_t(c)];
        row.push_back(c);
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        coarse.diagonal[std::size_t(c)] =
            Index(coarse.column.size()) +
            Index(std::lower_bound(row.begin(), row.end(), c) - row.begin());
        coarse.column.insert(coarse.column.end(), row.begin(), row.end());
        coarse.row_begin[std::size_t(c) + 1] = Index(coarse.column.size());
        row = {};
    }
    coarse.inverse_diagonal.resize(std::size_t(coarse_rows) * 6 * stride<6>);
}

namespace {

/// One row of A P: padded blocks of B x 6, with their columns ascending.
template <int B>
class ProductRow {
  public:
    explicit ProductRow(std::size_t coarse_rows) : place_(coarse_rows, -1) {}

    template <class Rows>
    void compute(const Rows& A, const ProlongatorRows<B>& P, Index i) {
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
        return blocks_.data() + std::size_t(place_[std::size_t(column)]) * B * wide;
    }

  private:
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
        V8 row[B];
        for (int r = 0; r < B; ++r)
            row[r] = zero8();
        for (int k = 0; k < B; ++k) {
            const V8 pk = loadu8(p + k * 6);
            for (int r = 0; r < B; ++r)
                row[r] = fma8(broadcast8(a + k * B + r), pk, row[r]);
        }
        for (int r = 0; r < B; ++r)
            store8(out + r * wide, add8(load8(out + r * wide), row[r]));
    }

    std::vector<Index> columns_, place_;
    FloatArray blocks_;
};

}  // namespace

template <int B, class Rows>
void galerkin_product(const Rows& A, const ProlongatorRows<B>& P,
                      const std::vector<unsigned char>& missing, SquareRows<6>& coarse) {
    coarse.value.resize(coarse.column.size() * 36);
    coarse.value.set_zero();
    const auto run = [&](const typename ProlongatorRows<B>::Chunk& chunk) {
        ProductRow<B> product(coarse.diagonal.size());
        for (Index i = chunk.begin; i < chunk.end; ++i) {
            const Index p_end = P.row_begin[std::size_t(i) + 1];
            if (P.row_begin[std::size_t(i)] == p_end) continue;
            product.compute(A, P, i);
            for (Index s = P.row_begin[std::size_t(i)]; s < p_end; ++s) {
                const Index I = P.column[std::size_t(s)];
                V8 p[B][6];
                for (int r = 0; r < B; ++r)
                    for (int m = 0; m < 6; ++m)
                        p[r][m] = broadcast8(P.block(s) + r * 6 + m);
                Index slot = coarse.diagonal[std::size_t(I)];
                for (const Index J : product.columns()) {
                    if (J < I) continue;
                    while (coarse.column[std::size_t(slot)] < J)
                        ++slot;
                    // The block (I, J) row-major is the block (J, I) column-major: it goes to the
                    // transposed slot at the end.
                    float* out = coarse.block(slot);
                    const float* ap = product.block(J);
                    V8 row[B];
                    for (int r = 0; r < B; ++r)
                        row[r] = load8(ap + r * wide);
                    for (int m = 0; m < 6; ++m) {
                        V8 sum = loadu8(out + m * 6);
                        for (int r = 0; r < B; ++r)
                            sum = fma8(p[r][m], row[r], sum);
                        // The next block may belong to another thread: six floats, not eight.
                        store6(out + m * 6, sum);
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
            Eigen::Map<Eigen::Matrix<float, 6, 6>> upper(coarse.block(s));
            if (J == I) {
                upper = (0.5f * (upper + upper.transpose())).eval();
                const float scale = std::max(upper.trace() / 6, 1e-30f);
                for (int k = 0; k < 6; ++k)
                    if (missing[std::size_t(I)] & (1u << k)) upper(k, k) = scale;
                continue;
            }
            const Index* first = coarse.column.data() + coarse.row_begin[std::size_t(J)];
            const Index* last = coarse.column.data() + coarse.row_begin[std::size_t(J) + 1];
            const Index mirror = Index(std::lower_bound(first, last, I) - coarse.column.data());
            Eigen::Map<Eigen::Matrix<float, 6, 6>>(coarse.block(mirror)) = upper;
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

void strengthen_diagonal(SquareRows<6>& A) {
    using Block = Eigen::Matrix<float, 6, 6>;
    parallel_for(A.rows(), rows_per_task, [&](Index i) {
        Eigen::Map<Block> D(A.block(A.diagonal[std::size_t(i)]));
        const float unit = std::max(D.trace() / 6, 1e-30f);
        Block factor;
        for (float shift = 1e-6f; shift < 1; shift *= 10) {
            if (inverse_cholesky_factor<6>(D, factor)) return;
            D.diagonal().array() += shift * unit;
        }
    });
}

template void make_galerkin_pattern<3>(const SquareRows<3>&, const ProlongatorRows<3>&, Index,
                                       SquareRows<6>&);
template void make_galerkin_pattern<6>(const SquareRows<6>&, const ProlongatorRows<6>&, Index,
                                       SquareRows<6>&);
template void galerkin_product<3>(const SquareRows<3>&, const ProlongatorRows<3>&,
                                  const std::vector<unsigned char>&, SquareRows<6>&);
template void galerkin_product<3>(const FilteredRows&, const ProlongatorRows<3>&,
                                  const std::vector<unsigned char>&, SquareRows<6>&);
template void galerkin_product<6>(const SquareRows<6>&, const ProlongatorRows<6>&,
                                  const std::vector<unsigned char>&, SquareRows<6>&);
template Index invert_diagonal<3>(SquareRows<3>&);
template Index invert_diagonal<6>(SquareRows<6>&);

}  // namespace taffeta::solve::sa

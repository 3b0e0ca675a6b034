#include "taffeta/solve/sa/galerkin.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index diagonal_rows = 512;
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
void GalerkinProduct<B>::plan(const SquareRows<B>& A, const ProlongatorRows<B>& P,
                              Index coarse_rows, SquareRows<6>& coarse) {
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
    coarse.value.resize(coarse.column.size() * 36);
    coarse.inverse_diagonal.resize(std::size_t(coarse_rows) * 6 * stride<6>);
}

template <int B>
void GalerkinProduct<B>::compute(const SquareRows<B>& A, const ProlongatorRows<B>& P,
                                 const std::vector<unsigned char>& missing,
                                 SquareRows<6>& coarse) const {
    coarse.value.set_zero();
    const auto run = [&](const typename ProlongatorRows<B>::Chunk& chunk) {
        std::vector<Index> columns, place(coarse.diagonal.size(), -1);
        FloatArray product;  // (A P)_i: B padded rows per column
        for (Index i = chunk.begin; i < chunk.end; ++i) {
            const Index p_begin = P.row_begin[std::size_t(i)];
            const Index p_end = P.row_begin[std::size_t(i) + 1];
            if (p_begin == p_end) continue;
            columns.clear();
            for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
                const Index j = A.column[std::size_t(s)];
                const float* a = A.block(s);
                for (Index t = P.row_begin[std::size_t(j)]; t < P.row_begin[std::size_t(j) + 1];
                     ++t) {
                    const Index c = P.column[std::size_t(t)];
                    if (place[std::size_t(c)] < 0) {
                        place[std::size_t(c)] = Index(columns.size());
                        columns.push_back(c);
                        if (product.size() < columns.size() * B * wide)
                            grow(product, columns.size() * 2 * B * wide);
                        std::fill_n(product.data() + (columns.size() - 1) * B * wide, B * wide,
                                    0.0f);
                    }
                    float* out = product.data() + std::size_t(place[std::size_t(c)]) * B * wide;
                    const float* p = P.block(t);
                    V8 row[B];
                    for (int r = 0; r < B; ++r)
                        row[r] = load8(out + r * wide);
                    for (int k = 0; k < B; ++k) {
                        const V8 pk = loadu8(p + k * 6);
                        for (int r = 0; r < B; ++r)
                            row[r] = fma8(broadcast8(a + k * B + r), pk, row[r]);
                    }
                    for (int r = 0; r < B; ++r)
                        store8(out + r * wide, row[r]);
                }
            }
            for (Index s = p_begin; s < p_end; ++s) {
                const Index I = P.column[std::size_t(s)];
                const float* p = P.block(s);
                const Index* first = coarse.column.data() + coarse.row_begin[std::size_t(I)];
                const Index* last = coarse.column.data() + coarse.row_begin[std::size_t(I) + 1];
                for (std::size_t k = 0; k < columns.size(); ++k) {
                    const Index J = columns[k];
                    if (J < I) continue;
                    const Index slot =
                        Index(std::lower_bound(first, last, J) - coarse.column.data());
                    // The block (I, J) row-major is the block (J, I) column-major: it goes to the
                    // transposed slot at the end.
                    float* out = coarse.block(slot);
                    const float* ap = product.data() + k * B * wide;
                    for (int m = 0; m < 6; ++m) {
                        V8 sum = zero8();
                        for (int r = 0; r < B; ++r)
                            sum = fma8(broadcast8(p + r * 6 + m), load8(ap + r * wide), sum);
                        // The next block may belong to another thread: six floats, not eight.
                        store6(out + m * 6, add8(loadu8(out + m * 6), sum));
                    }
                }
            }
            for (const Index c : columns)
                place[std::size_t(c)] = -1;
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
    A.inverse_diagonal.resize(A.diagonal.size() * B * stride<B>);
    std::vector<Index> bad(A.diagonal.size() / diagonal_rows + 1, -1);
    parallel_chunks(A.rows(), diagonal_rows, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            const Block D = Eigen::Map<const Block>(A.block(A.diagonal[std::size_t(i)]));
            const Eigen::LLT<Block> cholesky(D);
            if (cholesky.info() != Eigen::Success || !D.allFinite()) {
                bad[std::size_t(begin / diagonal_rows)] = i;
                return;
            }
            const Block inverse = cholesky.solve(Block::Identity());
            float* out = A.inverse_diagonal.data() + std::size_t(i) * B * stride<B>;
            for (int c = 0; c < B; ++c)
                for (int r = 0; r < stride<B>; ++r)
                    out[c * stride<B> + r] = r < B ? 0.5f * (inverse(r, c) + inverse(c, r)) : 0.0f;
        }
    });
    for (const Index row : bad)
        if (row >= 0) return row;
    return -1;
}

void strengthen_diagonal(SquareRows<6>& A) {
    using Block = Eigen::Matrix<float, 6, 6>;
    parallel_for(A.rows(), diagonal_rows, [&](Index i) {
        Eigen::Map<Block> D(A.block(A.diagonal[std::size_t(i)]));
        const float unit = std::max(D.trace() / 6, 1e-30f);
        for (float shift = 1e-6f; shift < 1; shift *= 10) {
            if (Eigen::LLT<Block>(D).info() == Eigen::Success) return;
            D.diagonal().array() += shift * unit;
        }
    });
}

template struct GalerkinProduct<3>;
template struct GalerkinProduct<6>;
template Index invert_diagonal<3>(SquareRows<3>&);
template Index invert_diagonal<6>(SquareRows<6>&);

}  // namespace taffeta::solve::sa

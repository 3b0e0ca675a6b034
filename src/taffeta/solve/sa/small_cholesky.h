#pragma once

#include <algorithm>
#include <cmath>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/block_rows.h"

/// Cholesky factors of blocks of 3 or 6, unrolled: a general library's blocked products and solves
/// cost more in code and in time than the arithmetic here.
namespace taffeta::solve::sa {

/// L^-1 of D = L L'; reads the lower triangle. False, with nothing promised about the result, when
/// D is not positive definite or not finite.
template <int B>
bool inverse_cholesky_factor(const Eigen::Matrix<float, B, B>& D,
                             Eigen::Matrix<float, B, B>& inverse) {
    Eigen::Matrix<float, B, B> L;
    for (int j = 0; j < B; ++j) {
        float pivot = D(j, j);
        for (int k = 0; k < j; ++k)
            pivot -= L(j, k) * L(j, k);
        if (!(pivot > 0) || !std::isfinite(pivot)) return false;
        L(j, j) = std::sqrt(pivot);
        for (int i = j + 1; i < B; ++i) {
            float sum = D(i, j);
            for (int k = 0; k < j; ++k)
                sum -= L(i, k) * L(j, k);
            L(i, j) = sum / L(j, j);
        }
    }
    inverse.setZero();
    for (int j = 0; j < B; ++j) {
        inverse(j, j) = 1 / L(j, j);
        for (int i = j + 1; i < B; ++i) {
            float sum = 0;
            for (int k = j; k < i; ++k)
                sum -= L(i, k) * inverse(k, j);
            inverse(i, j) = sum / L(i, i);
        }
    }
    return inverse.allFinite();
}

/// D^-1 in B columns of stride<B> floats; false where D is not SPD.
template <int B>
bool invert_block(const Eigen::Matrix<float, B, B>& D, float* out) {
    Eigen::Matrix<float, B, B> factor;
    if (!inverse_cholesky_factor<B>(D, factor)) return false;
    const Eigen::Matrix<float, B, B> inverse = factor.transpose().lazyProduct(factor);
    for (int c = 0; c < B; ++c)
        for (int r = 0; r < stride<B>; ++r)
            out[c * stride<B> + r] = r < B ? inverse(std::max(r, c), std::min(r, c)) : 0.0f;
    return true;
}

/// The inverses of `block(i)` for all rows, as SquareRows holds them; the first row whose block is
/// not SPD, or -1.
template <int B, class BlockOf>
Index invert_blocks(Index rows, FloatArray& inverses, const BlockOf& block) {
    constexpr Index rows_per_chunk = 512;
    inverses.resize(std::size_t(rows) * B * stride<B>);
    std::vector<Index> bad(std::size_t(rows / rows_per_chunk + 1), -1);
    parallel_chunks(rows, rows_per_chunk, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i)
            if (!invert_block<B>(block(i), inverses.data() + std::size_t(i) * B * stride<B>)) {
                bad[std::size_t(begin / rows_per_chunk)] = i;
                return;
            }
    });
    for (const Index row : bad)
        if (row >= 0) return row;
    return -1;
}

}  // namespace taffeta::solve::sa

#include "taffeta/solve/sa/strength.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "taffeta/base/jacobi.h"
#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/small_cholesky.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index strength_rows = 256;

/// The spectral radius by repeated squaring, |N^(2^k)|^(1 / 2^k): its error is a factor of at most
/// sqrt(B)^(1 / 64), one part in a hundred.
template <class Block>
float spectral_radius(Block N) {
    double logarithm = 0;  // of what was divided out, per power of N
    double power = 1;
    for (int k = 0; k < 6; ++k) {
        const float size = N.norm();
        if (!(size > 0)) return 0;
        logarithm += std::log(double(size)) / power;
        N /= size;
        N = N.lazyProduct(N).eval();
        power *= 2;
    }
    const double last = N.norm();
    return last > 0 ? float(std::exp(logarithm + std::log(last) / power)) : 0.0f;
}

/// D^-1/2, symmetric.
template <int B>
Eigen::Matrix<float, B, B> inverse_root(const Eigen::Matrix<float, B, B>& D) {
    Eigen::Matrix<double, B, B> A = D.template cast<double>(), V;
    jacobi_eigen(A, V);
    for (int k = 0; k < B; ++k)
        A(k, k) = 1 / std::sqrt(std::max(A(k, k), 1e-300));
    return (V * A.diagonal().asDiagonal() * V.transpose()).template cast<float>();
}

/// Per row a matrix W with W D W' = 1: the symmetric root D^-1/2, or L^-1 of D = L L'.
template <int B>
auto scalings(const SquareRows<B>& A, bool symmetric) {
    using Block = Eigen::Matrix<float, B, B>;
    std::vector<Block, Eigen::aligned_allocator<Block>> scaling(A.diagonal.size());
    parallel_for(A.rows(), strength_rows, [&](Index i) {
        const Block D = Eigen::Map<const Block>(A.block(A.diagonal[std::size_t(i)]));
        if (symmetric)
            scaling[std::size_t(i)] = inverse_root<B>(D);
        else
            inverse_cholesky_factor<B>(D, scaling[std::size_t(i)]);
    });
    return scaling;
}

}  // namespace

template <int B>
Strength strength_of(const SquareRows<B>& A, const Recipe& recipe) {
    using Block = Eigen::Matrix<float, B, B>;
    const Index n = A.rows();
    const auto scaling = scalings(A, recipe.spectral_strength);
    std::vector<float> weight(A.column.size(), 0.0f), strongest(std::size_t(n), 0.0f);
    std::vector<char> special(std::size_t(n), 0);
    // (i, j) and (j, i) round differently: both are decided by the entry above the diagonal.
    parallel_for(n, strength_rows, [&](Index i) {
        for (Index s = A.diagonal[std::size_t(i)] + 1; s < A.row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = A.column[std::size_t(s)];
            const Block a = Eigen::Map<const Block>(A.block(s));
            const Block N = scaling[std::size_t(i)] * a * scaling[std::size_t(j)].transpose();
            weight[std::size_t(s)] = recipe.spectral_strength ? spectral_radius(N) : N.norm();
        }
    });
    parallel_for(n, strength_rows, [&](Index i) {
        float sum = 0;
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = A.column[std::size_t(s)];
            if (j < i) {
                const auto first = A.column.begin() + A.row_begin[std::size_t(j)];
                const auto last = A.column.begin() + A.row_begin[std::size_t(j) + 1];
                weight[std::size_t(s)] =
                    weight[std::size_t(std::lower_bound(first, last, i) - A.column.begin())];
            }
            strongest[std::size_t(i)] = std::max(strongest[std::size_t(i)], weight[std::size_t(s)]);
            sum += weight[std::size_t(s)];
        }
        special[std::size_t(i)] = double(sum) < recipe.special;
    });
    Strength strong;
    strong.row_begin.assign(std::size_t(n) + 1, 0);
    const auto for_each_strong = [&](Index i, const auto& visit) {
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = A.column[std::size_t(s)];
            if (j == i || special[std::size_t(i)] || special[std::size_t(j)]) continue;
            const float bound = float(recipe.strength) *
                                std::min(strongest[std::size_t(i)], strongest[std::size_t(j)]);
            if (const float r = weight[std::size_t(s)]; r > bound && r != 0) visit(j, r);
        }
    };
    parallel_for(n, strength_rows, [&](Index i) {
        for_each_strong(i, [&](Index, float) { ++strong.row_begin[std::size_t(i) + 1]; });
    });
    std::partial_sum(strong.row_begin.begin(), strong.row_begin.end(), strong.row_begin.begin());
    strong.column.resize(std::size_t(strong.row_begin.back()));
    strong.weight.resize(strong.column.size());
    parallel_for(n, strength_rows, [&](Index i) {
        std::size_t k = std::size_t(strong.row_begin[std::size_t(i)]);
        for_each_strong(i, [&](Index j, float r) {
            strong.column[k] = j;
            strong.weight[k++] = r;
        });
    });
    return strong;
}

template Strength strength_of<3>(const SquareRows<3>&, const Recipe&);
template Strength strength_of<6>(const SquareRows<6>&, const Recipe&);

}  // namespace taffeta::solve::sa

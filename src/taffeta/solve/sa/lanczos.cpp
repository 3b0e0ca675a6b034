#include "taffeta/solve/sa/lanczos.h"

#include <algorithm>
#include <cmath>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index lanczos_rows = 512;

}  // namespace

template <int B>
void multiply_scaled(const SquareRows<B>& A, const FloatArray& x, FloatArray& y) {
    using Row = RowOf<B>;
    parallel_for(A.rows(), lanczos_rows, [&](Index i) {
        typename Row::type sum;
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
            sum.add(A.block(s), x.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
        Row::store(
            y.data() + std::size_t(i) * stride<B>,
            Row::scale(A.inverse_diagonal.data() + std::size_t(i) * B * stride<B>, sum.result()));
    });
}

/// By bisection: the number of negative pivots of T - x is the number of eigenvalues below x.
double largest_of_tridiagonal(std::span<const double> diagonal, std::span<const double> beside) {
    const std::size_t n = diagonal.size();
    const auto all_below = [&](double x) {
        double pivot = diagonal[0] - x;
        for (std::size_t k = 1; k < n && pivot < 0; ++k)
            pivot = diagonal[k] - x - beside[k - 1] * beside[k - 1] / pivot;
        return pivot < 0;
    };
    double low = diagonal[0], high = diagonal[0];  // Gershgorin's circles end at `high`
    for (std::size_t k = 0; k < n; ++k) {
        const double radius =
            (k > 0 ? std::abs(beside[k - 1]) : 0) + (k + 1 < n ? std::abs(beside[k]) : 0);
        low = std::min(low, diagonal[k]);
        high = std::max(high, diagonal[k] + radius);
    }
    while (high - low > 1e-7 * std::abs(high)) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        (all_below(middle) ? high : low) = middle;
    }
    return high;
}

template <int B>
float largest_eigenvalue(const SquareRows<B>& A, int steps) {
    // Three-term recurrence on v (in the D inner product): D^-1 A v = beta+ v+ + alpha v + beta v-.
    const Index n = A.rows();
    const std::size_t length = std::size_t(n) * stride<B>;
    FloatArray v, before, w;
    v.resize(length), before.resize(length), w.resize(length);
    v.set_zero(), before.set_zero(), w.set_zero();
    std::uint64_t random = 0x9e3779b97f4a7c15u;
    for (Index i = 0; i < n; ++i)
        for (int k = 0; k < B; ++k) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            v.data()[std::size_t(i) * stride<B> + std::size_t(k)] =
                float(double(random >> 11) * 0x1p-53 - 0.5);
        }
    // u' D w
    const auto inner = [&](const FloatArray& u, const FloatArray& y) {
        return parallel_sum(n, lanczos_rows, [&](Index first, Index last) {
            double sum = 0;
            for (Index i = first; i < last; ++i) {
                const Eigen::Map<const Eigen::Matrix<float, B, B>> D(
                    A.block(A.diagonal[std::size_t(i)]));
                const Eigen::Map<const Eigen::Matrix<float, B, 1>> ui(u.data() +
                                                                      std::size_t(i) * stride<B>),
                    yi(y.data() + std::size_t(i) * stride<B>);
                sum += double(ui.dot(D * yi));
            }
            return sum;
        });
    };
    const auto scale = [&](FloatArray& u, float factor) {
        parallel_for(n, lanczos_rows, [&](Index i) {
            for (int k = 0; k < stride<B>; ++k)
                u.data()[std::size_t(i) * stride<B> + std::size_t(k)] *= factor;
        });
    };
    scale(v, float(1 / std::sqrt(inner(v, v))));
    Eigen::VectorXd alpha(steps), beta(steps);
    int done = 0;
    for (; done < steps; ++done) {
        multiply_scaled(A, v, w);
        alpha[done] = inner(v, w);
        const float a = float(alpha[done]), b = done > 0 ? float(beta[done - 1]) : 0.0f;
        parallel_for(n, lanczos_rows, [&](Index i) {
            for (int k = 0; k < stride<B>; ++k) {
                const std::size_t at = std::size_t(i) * stride<B> + std::size_t(k);
                w.data()[at] -= a * v.data()[at] + b * before.data()[at];
            }
        });
        beta[done] = std::sqrt(std::max(0.0, inner(w, w)));
        if (beta[done] < 1e-6 * std::abs(alpha[0])) {
            ++done;
            break;
        }
        scale(w, float(1 / beta[done]));
        std::swap(before, v);
        std::swap(v, w);
    }
    return float(1.1 * largest_of_tridiagonal({alpha.data(), std::size_t(done)},
                                              {beta.data(), std::size_t(done)}));
}

#define TAFFETA_INSTANTIATE(B)                                                              \
    template void multiply_scaled<B>(const SquareRows<B>&, const FloatArray&, FloatArray&); \
    template float largest_eigenvalue<B>(const SquareRows<B>&, int);
TAFFETA_INSTANTIATE(3)
TAFFETA_INSTANTIATE(6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa

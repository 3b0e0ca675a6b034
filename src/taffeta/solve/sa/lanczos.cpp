#include "taffeta/solve/sa/lanczos.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/float_vectors.h"
#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index lanczos_rows = 512;

/// A vector and D times it.
struct Pair {
    FloatArray vector, image;

    explicit Pair(std::size_t length) {
        vector.resize(length), image.resize(length);
        vector.set_zero(), image.set_zero();
    }
};

template <int B>
void fill_with_random_numbers(FloatArray& v) {
    std::uint64_t random = 0x9e3779b97f4a7c15u;
    for (std::size_t i = 0; i < v.size(); i += stride<B>)
        for (std::size_t k = 0; k < B; ++k) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            v.data()[i + k] = float(double(random >> 11) * 0x1p-53 - 0.5);
        }
}

/// v.image = D v.vector
template <int B>
void multiply_diagonal(const SquareRows<B>& A, Pair& v) {
    using Vector = Eigen::Matrix<float, B, 1>;
    parallel_for(A.rows(), lanczos_rows, [&](Index i) {
        const std::size_t at = std::size_t(i) * stride<B>;
        Eigen::Map<Vector>(v.image.data() + at) =
            Eigen::Map<const Eigen::Matrix<float, B, B>>(A.block(A.diagonal[std::size_t(i)])) *
            Eigen::Map<const Vector>(v.vector.data() + at);
    });
}

/// w.image = gain A v and w.vector = gain D^-1 A v
template <int B>
void multiply(const SquareRows<B>& A, float gain, const FloatArray& v, Pair& w) {
    using Row = RowOf<B>;
    const auto factor = Row::spread(&gain);
    parallel_for(A.rows(), lanczos_rows, [&](Index i) {
        typename Row::type sum;
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
            sum.add(A.block(s), v.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
        const auto image = Row::multiply_add(factor, sum.result(), Row::zero());
        const std::size_t at = std::size_t(i) * stride<B>;
        Row::store(w.image.data() + at, image);
        Row::store(w.vector.data() + at, Row::scale(A.inverse_diagonal.data() + at * B, image));
    });
}

}  // namespace

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
    // Three-term recurrence on v (in the D inner product): D^-1 A v = beta+ v+ + alpha v + beta v-. What
    // is kept is `size` times v, and D v beside it, so that no step reads D or scales a vector.
    const std::size_t length = std::size_t(A.rows()) * stride<B>;
    Pair v(length), before(length), w(length);
    fill_with_random_numbers<B>(v.vector);
    multiply_diagonal(A, v);
    sparse::Partials partials;
    double size = std::sqrt(dot(v.vector, v.image, partials)), size_before = 1;
    std::vector<double> alpha, beta;
    while (int(alpha.size()) < steps) {
        multiply(A, float(1 / size), v.vector, w);
        alpha.push_back(dot(v.vector, w.image, partials) / size);
        const float along = float(-alpha.back() / size);
        const float back = beta.empty() ? 0.0f : float(-size / size_before);
        for (FloatArray Pair::*part : {&Pair::vector, &Pair::image})
            add_two(along, v.*part, back, before.*part, w.*part);
        beta.push_back(std::sqrt(std::max(0.0, dot(w.vector, w.image, partials))));
        if (beta.back() < 1e-6 * std::abs(alpha[0])) break;
        std::swap(before, v);
        std::swap(v, w);
        size_before = std::exchange(size, beta.back());
    }
    return float(1.1 * largest_of_tridiagonal(alpha, beta));
}

#define TAFFETA_INSTANTIATE(B) template float largest_eigenvalue<B>(const SquareRows<B>&, int);
TAFFETA_INSTANTIATE(3)
TAFFETA_INSTANTIATE(6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa

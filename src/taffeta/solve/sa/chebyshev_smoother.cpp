#include "taffeta/solve/sa/chebyshev_smoother.h"

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index chebyshev_rows = 512;

/// d = keep d + gain D^-1 r and x += d.
template <int B>
void step(const SquareRows<B>& A, float keep, float gain, const float* r, FloatSpan d,
          FloatArray& x) {
    using Row = RowOf<B>;
    parallel_for(A.rows(), chebyshev_rows, [&](Index i) {
        const std::size_t at = std::size_t(i) * stride<B>;
        alignas(32) float scaled[8];
        Row::store(scaled, Row::scale(A.inverse_diagonal.data() + std::size_t(i) * B * stride<B>,
                                      Row::load(r + at)));
        for (int k = 0; k < B; ++k) {
            const std::size_t here = at + std::size_t(k);
            d.data()[here] = keep * d.data()[here] + gain * scaled[k];
            x.data()[here] += d.data()[here];
        }
    });
}

}  // namespace

template <int B>
void residual(const SquareRows<B>& A, const FloatArray& b, const FloatArray& x, FloatSpan r) {
    using Row = RowOf<B>;
    parallel_for(A.rows(), chebyshev_rows, [&](Index i) {
        typename Row::type sum;
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
            sum.add(A.block(s), x.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
        const std::size_t at = std::size_t(i) * stride<B>;
        Row::store(r.data() + at, Row::subtract(Row::load(b.data() + at), sum.result()));
    });
}

template <int B>
void chebyshev_sweep(const SquareRows<B>& A, const ChebyshevInterval& interval, bool from_zero,
                     const FloatArray& b, FloatArray& x, FloatSpan r, FloatSpan d) {
    const double high = double(interval.lambda), low = high / interval.ratio;
    const double theta = (high + low) / 2, delta = (high - low) / 2;
    d.set_zero();
    if (from_zero) {
        x.set_zero();
        step(A, 0, float(1 / theta), b.data(), d, x);
    } else {
        residual(A, b, x, r);
        step(A, 0, float(1 / theta), r.data(), d, x);
    }
    double rho = delta / theta;  // of the recurrence: 1 / (2 theta / delta - rho)
    for (int k = 1; k < interval.degree; ++k) {
        residual(A, b, x, r);
        const double next = 1 / (2 * theta / delta - rho);
        step(A, float(next * rho), float(2 * next / delta), r.data(), d, x);
        rho = next;
    }
}

template void residual<3>(const SquareRows<3>&, const FloatArray&, const FloatArray&, FloatSpan);
template void residual<6>(const SquareRows<6>&, const FloatArray&, const FloatArray&, FloatSpan);
template void chebyshev_sweep<3>(const SquareRows<3>&, const ChebyshevInterval&, bool,
                                 const FloatArray&, FloatArray&, FloatSpan, FloatSpan);
template void chebyshev_sweep<6>(const SquareRows<6>&, const ChebyshevInterval&, bool,
                                 const FloatArray&, FloatArray&, FloatSpan, FloatSpan);

}  // namespace taffeta::solve::sa

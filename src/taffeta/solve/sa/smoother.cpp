#include "taffeta/solve/sa/smoother.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/kernels.h"

namespace taffeta::solve::sa {

namespace {

constexpr Index smoothed_rows = 512;

/// Calls `body(first, last)` for every even strip, then for every odd one (`reverse`: the other way
/// round), strips of one parity in parallel.
template <class Body>
void over_strips(const Strips& strips, bool reverse, const Body& body) {
    const Index count = strips.count();
    for (int phase = 0; phase < 2; ++phase) {
        const Index parity = reverse ? 1 - phase : phase;
        parallel_for((count - parity + 1) / 2, 1, [&](Index k) {
            const Index strip = 2 * k + parity;
            body(strips.begin[std::size_t(strip)], strips.begin[std::size_t(strip) + 1], strip);
        });
    }
}

}  // namespace

/// Calls `first(k)` for k = 0, 1, ... and `second(k)` as soon as `first` has been called for the
/// `lag` numbers after k, while what both read is still in the cache.
template <class First, class Second>
void lagging(Index count, Index lag, const First& first, const Second& second) {
    for (Index k = 0; k < count; ++k) {
        first(k);
        if (k >= lag) second(k - lag);
    }
    for (Index k = std::max(Index(0), count - lag); k < count; ++k)
        second(k);
}

/// Rows ahead whose blocks are asked for: what a sweep reads is no stream that a processor foresees.
constexpr Index rows_ahead = 6;

template <int B>
void prefetch(const SquareRows<B>& A, Index first_slot, Index last_slot) {
    const char* const end = reinterpret_cast<const char*>(A.block(last_slot));
    for (const char* p = reinterpret_cast<const char*>(A.block(first_slot)); p < end; p += 64) {
        __builtin_prefetch(p);
        asm volatile("" ::"r"(p));  // GCC 12 takes a function that only prefetches for pure
    }
}

/// Calls `body(i, sum)` for the rows of the strips of that parity that may see other strips, with sum
/// the product of their blocks there with v. They lie within a bandwidth of the ends of a strip.
template <int B, class Body>
void multiply_at_ends(const SquareRows<B>& A, const Strips& strips, Index parity,
                      const FloatArray& v, const Body& body) {
    if (strips.bandwidth == 0) return;
    parallel_for((strips.count() - parity + 1) / 2, 1, [&](Index k) {
        const Index first = strips.begin[std::size_t(2 * k + parity)];
        const Index last = strips.begin[std::size_t(2 * k + parity) + 1];
        for (Index i = first; i < last; ++i) {
            if (i == first + strips.bandwidth) i = std::max(i, last - strips.bandwidth);
            typename RowOf<B>::type sum;
            const auto add = [&](Index s) {
                sum.add(A.block(s), v.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
            };
            const Index begin = A.row_begin[std::size_t(i)];
            const Index end = A.row_begin[std::size_t(i) + 1];
            for (Index s = begin; s < end && A.column[std::size_t(s)] < first; ++s)
                add(s);
            for (Index s = end - 1; s >= begin && A.column[std::size_t(s)] >= last; --s)
                add(s);
            body(i, sum);
        }
    });
}

/// In the sweep's order, even strips come first. For a row of an even strip the "lower" part is
/// what lies before it in its own strip; for a row of an odd strip also all of both neighbours.
template <int B>
void smooth_from_zero(const SquareRows<B>& A, const Strips& strips, const FloatArray& b,
                      FloatArray& x, FloatArray& r) {
    using Row = RowOf<B>;
    const auto add = [&](typename Row::type& sum, Index s) {
        sum.add(A.block(s), x.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
    };
    over_strips(strips, false, [&](Index first, Index last, Index strip) {
        const bool even = strip % 2 == 0;
        const auto sweep = [&](Index i) {
            typename Row::type sum;
            const Index diagonal = A.diagonal[std::size_t(i)];
            if (const Index ahead = i + rows_ahead; ahead < last)
                prefetch(A, A.row_begin[std::size_t(ahead)], A.row_begin[std::size_t(ahead) + 1]);
            for (Index s = A.row_begin[std::size_t(i)]; s < diagonal; ++s) {
                if (even && A.column[std::size_t(s)] < first) continue;  // an odd strip: still zero
                add(sum, s);
            }
            if (!even)
                for (Index s = A.row_begin[std::size_t(i) + 1] - 1;
                     s > diagonal && A.column[std::size_t(s)] >= last; --s)
                    add(sum, s);
            const auto rhs =
                Row::subtract(Row::load(b.data() + std::size_t(i) * stride<B>), sum.result());
            Row::store(x.data() + std::size_t(i) * stride<B>,
                       Row::scale(A.inverse_diagonal.data() + std::size_t(i) * B * stride<B>, rhs));
        };
        // r = -U x, U being what comes after a row in the order of the sweep: here the part within
        // the strip.
        const auto remain = [&](Index i) {
            typename Row::type sum;
            for (Index s = A.diagonal[std::size_t(i)] + 1;
                 s < A.row_begin[std::size_t(i) + 1] && A.column[std::size_t(s)] < last; ++s)
                add(sum, s);
            Row::store(r.data() + std::size_t(i) * stride<B>, Row::negative(sum.result()));
        };
        lagging(
            last - first, strips.bandwidth, [&](Index k) { sweep(first + k); },
            [&](Index k) { remain(first + k); });
    });
    // The rest of U: what even strips see of odd ones, which came later.
    multiply_at_ends(A, strips, 0, x, [&](Index i, const typename Row::type& sum) {
        float* out = r.data() + std::size_t(i) * stride<B>;
        Row::store(out, Row::subtract(Row::load(out), sum.result()));
    });
}

template <int B>
void smooth_backward(const SquareRows<B>& A, const Strips& strips, const FloatArray& b,
                     FloatArray& x) {
    using Row = RowOf<B>;
    over_strips(strips, true, [&](Index first, Index last, Index) {
        for (Index i = last - 1; i >= first; --i) {
            typename Row::type sum;
            const Index diagonal = A.diagonal[std::size_t(i)];
            if (const Index ahead = i - rows_ahead; ahead >= first)
                prefetch(A, A.row_begin[std::size_t(ahead)], A.row_begin[std::size_t(ahead) + 1]);
            for (Index s = A.row_begin[std::size_t(i)]; s < diagonal; ++s)
                sum.add(A.block(s), x.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
            for (Index s = A.row_begin[std::size_t(i) + 1] - 1; s > diagonal; --s)
                sum.add(A.block(s), x.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
            const auto rhs =
                Row::subtract(Row::load(b.data() + std::size_t(i) * stride<B>), sum.result());
            Row::store(x.data() + std::size_t(i) * stride<B>,
                       Row::scale(A.inverse_diagonal.data() + std::size_t(i) * B * stride<B>, rhs));
        }
    });
}

template <int B>
void smooth_backward_and_multiply(const SquareRows<B>& A, const Strips& strips, const FloatArray& b,
                                  FloatArray& x, FloatArray& change, FloatArray& product) {
    using Row = RowOf<B>;
    const auto add = [&](typename Row::type& sum, Index s, const FloatArray& v) {
        sum.add(A.block(s), v.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
    };
    over_strips(strips, true, [&](Index first, Index last, Index) {
        const auto sweep = [&](Index i) {
            typename Row::type sum;
            const Index diagonal = A.diagonal[std::size_t(i)];
            if (const Index ahead = i - rows_ahead; ahead >= first)
                prefetch(A, A.row_begin[std::size_t(ahead)], A.row_begin[std::size_t(ahead) + 1]);
            for (Index s = A.row_begin[std::size_t(i)]; s < diagonal; ++s)
                add(sum, s, x);
            for (Index s = A.row_begin[std::size_t(i) + 1] - 1; s > diagonal; --s)
                add(sum, s, x);
            const std::size_t at = std::size_t(i) * stride<B>;
            const auto now = Row::scale(A.inverse_diagonal.data() + std::size_t(i) * B * stride<B>,
                                        Row::subtract(Row::load(b.data() + at), sum.result()));
            Row::store(change.data() + at, Row::subtract(now, Row::load(x.data() + at)));
            Row::store(x.data() + at, now);
        };
        const auto multiply = [&](Index i) {
            typename Row::type sum;
            for (Index s = A.diagonal[std::size_t(i)] - 1;
                 s >= A.row_begin[std::size_t(i)] && A.column[std::size_t(s)] >= first; --s)
                add(sum, s, change);
            const std::size_t at = std::size_t(i) * stride<B>;
            Row::store(product.data() + at,
                       Row::subtract(Row::load(b.data() + at), Row::negative(sum.result())));
        };
        lagging(
            last - first, strips.bandwidth, [&](Index k) { sweep(last - 1 - k); },
            [&](Index k) { multiply(last - 1 - k); });
    });
    // What odd strips see of even ones, which came later.
    multiply_at_ends(A, strips, 1, change, [&](Index i, const typename Row::type& sum) {
        float* out = product.data() + std::size_t(i) * stride<B>;
        Row::store(out, Row::subtract(Row::load(out), Row::negative(sum.result())));
    });
}

template <int B>
void multiply_scaled(const SquareRows<B>& A, const FloatArray& x, FloatArray& y) {
    using Row = RowOf<B>;
    parallel_for(A.rows(), smoothed_rows, [&](Index i) {
        typename Row::type sum;
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
            sum.add(A.block(s), x.data() + std::size_t(A.column[std::size_t(s)]) * stride<B>);
        Row::store(
            y.data() + std::size_t(i) * stride<B>,
            Row::scale(A.inverse_diagonal.data() + std::size_t(i) * B * stride<B>, sum.result()));
    });
}

template <int B>
void restrict_residual(const ProlongatorRows<B>& P, const FloatArray& r, FloatArray& coarse) {
    coarse.set_zero();
    // By value: a store of a float might change a pointer that is read through P, for all the
    // compiler knows.
    const Index* const row_begin = P.row_begin.data();
    const Index* const column = P.column.data();
    const float* const value = P.value.data();
    const float* const fine = r.data();
    float* const sums = coarse.data();
    const auto run = [=](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) {
            V8 ri[B];
            for (int k = 0; k < B; ++k)
                ri[k] = broadcast8(fine + std::size_t(i) * stride<B> + k);
            const Index last = row_begin[i + 1];
            for (Index s = row_begin[i]; s < last; ++s) {
                const float* p = value + std::size_t(s) * (B * 6);
                float* out = sums + std::size_t(column[s]) * 8;
                V8 sum = load8(out);
                for (int k = 0; k < B; ++k)
                    sum = fma8(loadu8(p + 6 * k), ri[k], sum);
                store8(out, first_six(sum));
            }
        }
    };
    for (const auto& chunks : P.color)
        parallel_for(Index(chunks.size()), 1, [&](Index c) {
            run(chunks[std::size_t(c)].begin, chunks[std::size_t(c)].end);
        });
}

template <int B>
void prolong_and_add(const ProlongatorRows<B>& P, const FloatArray& coarse, FloatArray& x) {
    parallel_for(Index(P.row_begin.size()) - 1, smoothed_rows, [&](Index i) {
        V8 sum[B];
        for (int k = 0; k < B; ++k)
            sum[k] = zero8();
        for (Index s = P.row_begin[std::size_t(i)]; s < P.row_begin[std::size_t(i) + 1]; ++s) {
            const float* p = P.block(s);
            const V8 xc = load8(coarse.data() + std::size_t(P.column[std::size_t(s)]) * 8);
            for (int k = 0; k < B; ++k)
                sum[k] = fma8(loadu8(p + 6 * k), xc, sum[k]);
        }
        float* out = x.data() + std::size_t(i) * stride<B>;
        for (int k = 0; k < B; ++k)
            out[k] += sum8(sum[k]);
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
        return parallel_sum(n, smoothed_rows, [&](Index first, Index last) {
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
        parallel_for(n, smoothed_rows, [&](Index i) {
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
        parallel_for(n, smoothed_rows, [&](Index i) {
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

#define TAFFETA_INSTANTIATE(B)                                                                     \
    template void smooth_from_zero<B>(const SquareRows<B>&, const Strips&, const FloatArray&,      \
                                      FloatArray&, FloatArray&);                                   \
    template void smooth_backward<B>(const SquareRows<B>&, const Strips&, const FloatArray&,       \
                                     FloatArray&);                                                 \
    template void smooth_backward_and_multiply<B>(const SquareRows<B>&, const Strips&,             \
                                                  const FloatArray&, FloatArray&, FloatArray&,     \
                                                  FloatArray&);                                    \
    template void multiply_scaled<B>(const SquareRows<B>&, const FloatArray&, FloatArray&);        \
    template void restrict_residual<B>(const ProlongatorRows<B>&, const FloatArray&, FloatArray&); \
    template void prolong_and_add<B>(const ProlongatorRows<B>&, const FloatArray&, FloatArray&);   \
    template float largest_eigenvalue<B>(const SquareRows<B>&, int);
TAFFETA_INSTANTIATE(3)
TAFFETA_INSTANTIATE(6)
#undef TAFFETA_INSTANTIATE

}  // namespace taffeta::solve::sa

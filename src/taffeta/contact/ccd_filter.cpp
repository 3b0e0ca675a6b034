#include "taffeta/contact/ccd_filter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "taffeta/contact/algebraic_time.h"

// Compiled with -ffp-contract=off, so that a query has the same cost everywhere; the bounds would hold
// with fused operations too.

namespace taffeta::contact {

namespace {

// Bounds of the rounding errors, as parts of the products of the largest coordinate differences M_a.
// A difference has a relative error of u = 2^-53, a product of two differences 3u; a coefficient of a
// side is a mean of at most 2 terms of magnitude 2 M_a M_b, and the fourth side of the edges the sum of
// three; one of D is a mean of 3 terms of magnitude 6 Mx My Mz. The weights of an interval, at most
// three factors each, are off by 3u. Counting every operation gives less than 80 u and 150 u; the
// constants below are above 200 u and 400 u.
constexpr double side_error = 2.5e-14;
constexpr double volume_error = 5e-14;
/// Products that underflow are off by less than this absolutely (and by this times the third factor).
constexpr double least_error = 1e-300;
/// Beyond it products could overflow.
constexpr double largest_difference = 1e100;

constexpr int touches_depth = 14;  ///< of halving
constexpr int most_intervals = 64;
constexpr int grid_depth = int(AlgebraicTime::grid_bits);

using Linear = std::array<double, 2>;
using Quadratic = std::array<double, 3>;
using Cubic = std::array<double, 4>;

/// The interval [k, k + 1] / 2^depth of time.
struct Interval {
    int depth;
    std::int64_t k;
    bool inside;  ///< the conditions are known to hold strictly in one plane

    double low() const { return std::ldexp(double(k), -depth); }
    double high() const { return std::ldexp(double(k + 1), -depth); }
};

/// Bernstein coefficients on an interval are the polar form at its ends.
struct Weights {
    double s0, s1, t0, t1;  ///< 1 - low, low, 1 - high, high
    explicit Weights(const Interval& interval)
        : s0(1 - interval.low()),
          s1(interval.low()),
          t0(1 - interval.high()),
          t1(interval.high()) {}

    Quadratic on(const Quadratic& q) const {
        const double mixed = s0 * t1 + s1 * t0;
        return {s0 * s0 * q[0] + 2 * s0 * s1 * q[1] + s1 * s1 * q[2],
                s0 * t0 * q[0] + mixed * q[1] + s1 * t1 * q[2],
                t0 * t0 * q[0] + 2 * t0 * t1 * q[1] + t1 * t1 * q[2]};
    }
    Cubic on(const Cubic& d) const {
        return {at(d, s0, s1), mixed_at(d, s0, s1, t0, t1), mixed_at(d, t0, t1, s0, s1),
                at(d, t0, t1)};
    }

  private:
    static double at(const Cubic& d, double a, double b) {
        return a * a * (a * d[0] + 3 * b * d[1]) + b * b * (3 * a * d[2] + b * d[3]);
    }
    /// The polar form at (a, b), (a, b), (c, e)
    static double mixed_at(const Cubic& d, double a, double b, double c, double e) {
        const double aa = a * a, ab = a * b, bb = b * b;
        return aa * c * d[0] + (aa * e + 2 * ab * c) * d[1] + (2 * ab * e + bb * c) * d[2] +
               bb * e * d[3];
    }
};

/// 1: all above the bound, -1: all below its negative, 0: neither.
template <std::size_t n>
int sure_sign(const std::array<double, n>& c, double error) {
    double low = c[0], high = c[0];
    for (const double value : c) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    return low > error ? 1 : (high < -error ? -1 : 0);
}

class CcdFilter {
  public:
    explicit CcdFilter(const CcdQuery& query)
        : query_(query), faces_(query.kind == CcdKind::vertex_face) {
        for (std::size_t i = 0; i < 3; ++i)
            for (int axis = 0; axis < 3; ++axis) {
                w0_[i][std::size_t(axis)] = query.start[i + 1][axis] - query.start[0][axis];
                w1_[i][std::size_t(axis)] = query.end[i + 1][axis] - query.end[0][axis];
            }
    }

    /// One side before the other all the time: comparisons of doubles, exact.
    bool separated() const {
        const std::size_t ends = faces_ ? 1 : 2;
        for (int axis = 0; axis < 3; ++axis) {
            bool before = true, behind = true;
            for (const auto& x : {query_.start, query_.end}) {
                double low = x[0][axis], high = low;
                if (ends == 2) {
                    low = std::min(low, x[1][axis]);
                    high = std::max(high, x[1][axis]);
                }
                for (std::size_t j = ends; j < 4; ++j) {
                    before = before && high < x[j][axis];
                    behind = behind && low > x[j][axis];
                }
            }
            if (before || behind) return true;
        }
        return false;
    }

    /// The coefficients; false where they could overflow or are not numbers.
    bool prepare() {
        std::array<double, 3> most{};
        double total = 0;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double a = std::abs(w0_[i][axis]), b = std::abs(w1_[i][axis]);
                most[axis] = std::max({most[axis], a, b});
                total += a + b;
            }
        if (!(total < largest_difference)) return false;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
            side_error_[axis] = side_error * (most[u] * most[v]) + least_error;
            for (std::size_t pair = 0; pair < 3; ++pair) {
                const std::size_t i = pair == 2 ? 1 : 0, j = pair == 0 ? 1 : 2;
                cross_[pair][axis] = {
                    cross(w0_[i], w0_[j], u, v),
                    0.5 * (cross(w0_[i], w1_[j], u, v) + cross(w1_[i], w0_[j], u, v)),
                    cross(w1_[i], w1_[j], u, v)};
            }
        }
        volume_error_ = volume_error * (most[0] * most[1] * most[2]) + least_error * (1 + total);
        flat_ = most[0] == 0 || most[1] == 0 || most[2] == 0;
        volume_ = {};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double a = w0_[0][axis], b = w1_[0][axis];
            const Quadratic& n = cross_[2][axis];
            volume_[0] += a * n[0];
            volume_[1] += (2 * a * n[1] + b * n[0]) / 3;
            volume_[2] += (a * n[2] + 2 * b * n[1]) / 3;
            volume_[3] += b * n[2];
        }
        return true;
    }

    /// Visits intervals in time order. With `to_grid`, a touching one is halved down to the grid.
    FilteredTime search(bool to_grid) const {
        std::array<Interval, grid_depth + 2> stack;
        int size = 0, visited = 0;
        stack[std::size_t(size++)] = {0, 0, false};
        while (size > 0) {
            Interval interval = stack[std::size_t(--size)];
            if (++visited > most_intervals + (to_grid ? 2 * grid_depth : 0))
                return {FilterAnswer::unsure, 0};
            const Weights weights(interval);
            int crossing = 2;  // of D: 0 none, 1 sure, 2 perhaps
            if (flat_) {
                crossing = 1;
            } else {
                const Cubic d = weights.on(volume_);
                if (sure_sign(d, volume_error_) != 0) continue;
                const int first = sure_sign(std::array{d[0]}, volume_error_);
                const int last = sure_sign(std::array{d[3]}, volume_error_);
                if (first * last < 0) crossing = 1;
            }
            if (!interval.inside) {
                const Verdict verdict = judge(interval, weights);
                if (verdict == Verdict::outside) continue;
                interval.inside = verdict == Verdict::inside;
            }
            if (interval.inside && crossing == 1 &&
                (!to_grid || interval.depth == grid_depth || flat_))
                return flat_ && to_grid && interval.k > 0
                           ? FilteredTime{FilterAnswer::unsure, 0}
                           : FilteredTime{FilterAnswer::touching, interval.k};
            if (interval.depth == (to_grid ? grid_depth : touches_depth))
                return {FilterAnswer::unsure, 0};
            const Interval left{interval.depth + 1, 2 * interval.k, interval.inside};
            stack[std::size_t(size++)] = {left.depth, left.k + 1, left.inside};
            stack[std::size_t(size++)] = left;
        }
        return {FilterAnswer::apart, 0};
    }

  private:
    enum class Verdict { outside, inside, unsure };

    using Vector = std::array<double, 3>;
    static double cross(const Vector& a, const Vector& b, std::size_t u, std::size_t v) {
        return a[u] * b[v] - a[v] * b[u];
    }

    Verdict judge(const Interval& interval, const Weights& weights) const {
        bool inside = false;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double error = side_error_[axis];
            const Quadratic c12 = weights.on(cross_[0][axis]), c13 = weights.on(cross_[1][axis]),
                            c23 = weights.on(cross_[2][axis]);
            const int s12 = sure_sign(c12, error), s13 = sure_sign(c13, error),
                      s23 = sure_sign(c23, error);
            if (faces_) {
                const int s31 = -s13;
                if (s12 * s23 < 0 || s23 * s31 < 0 || s31 * s12 < 0) return Verdict::outside;
                inside = inside || (s12 * s23 > 0 && s23 * s31 > 0);
            } else {
                Quadratic fourth;
                for (std::size_t k = 0; k < 3; ++k)
                    fourth[k] = c23[k] + c12[k] - c13[k];
                const int s4 = sure_sign(fourth, error);
                if (s12 * s13 > 0 || s23 * s4 > 0) return Verdict::outside;
                inside = inside || (s12 * s13 < 0 && s23 * s4 < 0);
            }
        }
        if (inside) return Verdict::inside;
        return interval.depth > 0 && separated_on(weights) ? Verdict::outside : Verdict::unsure;
    }

    /// One side surely before the other on an axis during the interval.
    bool separated_on(const Weights& weights) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::array<double, 3> at_low, at_high;
            double most = 0;
            for (std::size_t i = 0; i < 3; ++i) {
                const double a = w0_[i][axis], b = w1_[i][axis];
                at_low[i] = weights.s0 * a + weights.s1 * b;
                at_high[i] = weights.t0 * a + weights.t1 * b;
                most = std::max({most, std::abs(a), std::abs(b)});
            }
            const double error = side_error * most + least_error;
            const auto sign = [&](int i, int j) {  // of w_i - w_j, w_-1 = 0
                const std::size_t p = std::size_t(i), q = std::size_t(j);
                return sure_sign(j < 0 ? Linear{at_low[p], at_high[p]}
                                       : Linear{at_low[p] - at_low[q], at_high[p] - at_high[q]},
                                 error);
            };
            const int total = faces_ ? sign(0, -1) + sign(1, -1) + sign(2, -1)
                                     : sign(1, -1) + sign(2, -1) + sign(1, 0) + sign(2, 0);
            if (std::abs(total) == (faces_ ? 3 : 4)) return true;
        }
        return false;
    }

    const CcdQuery& query_;
    bool faces_;
    bool flat_ = false;  ///< one axis sees no differences: D is zero, exactly
    std::array<Vector, 3> w0_, w1_;
    std::array<std::array<Quadratic, 3>, 3> cross_;  ///< [w1 x w2, w1 x w3, w2 x w3][axis]
    std::array<double, 3> side_error_;
    Cubic volume_;
    double volume_error_ = 0;
};

}  // namespace

FilterAnswer filter_touches(const CcdQuery& query) {
    CcdFilter filter(query);
    if (filter.separated()) return FilterAnswer::apart;
    if (!filter.prepare()) return FilterAnswer::unsure;
    return filter.search(false).answer;
}

FilteredTime filter_first_contact(const CcdQuery& query) {
    CcdFilter filter(query);
    if (filter.separated()) return {FilterAnswer::apart, 0};
    if (!filter.prepare()) return {FilterAnswer::unsure, 0};
    return filter.search(true);
}

}  // namespace taffeta::contact

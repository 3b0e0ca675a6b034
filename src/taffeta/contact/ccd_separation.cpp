#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "taffeta/base/error.h"
#include "taffeta/contact/ccd.h"

// The distance of two convex sets is the largest gap that a direction shows between them:
// d = max_u (min_B u.x - max_A u.x) / |u|. So any direction gives a bound from below that is safe
// whatever the rounding in choosing it. Along a fixed direction the gap of points in linear motion is
// concave in time: its least value on an interval is at one of the ends. An interval is therefore
// clear when one direction shows more than the wanted distance at both its ends; else it is halved.
// The directions tried are those of the closest features in the interval's middle, which show the
// distance itself there.

namespace taffeta::contact {

namespace {

constexpr double separation_rounding = 1e-14;  ///< of a gap, as a part of the largest difference

/// From the point p to the segment a b, nearest.
Vec3 towards_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 along = b - a;
    const double length_sq = along.squaredNorm();
    const double part = length_sq > 0 ? std::clamp(along.dot(p - a) / length_sq, 0.0, 1.0) : 0.0;
    return a + part * along - p;
}

class Separation {
  public:
    Separation(const CcdQuery& query, double distance)
        : distance_(distance), first_of_second_(query.kind == CcdKind::vertex_face ? 1 : 2) {
        for (std::size_t i = 0; i < 4; ++i) {
            start_[i] = query.start[i] - query.start[0];
            end_[i] = query.end[i] - query.end[0];
            if (!start_[i].allFinite() || !end_[i].allFinite())
                fail_input("continuous collision detection", "a coordinate is not finite");
            largest_ = std::max({largest_, start_[i].lpNorm<1>(), end_[i].lpNorm<1>()});
        }
    }

    /// Whether one direction surely shows more than the distance on the whole interval.
    bool clear(double low, double high) const {
        std::array<Vec3, 4> x;
        const double middle = 0.5 * (low + high);
        for (std::size_t i = 0; i < 4; ++i)
            x[i] = (1 - middle) * start_[i] + middle * end_[i];
        const auto shows = [&](const Vec3& u) { return clear_along(u, low, high); };
        if (first_of_second_ == 1)
            return shows((x[2] - x[1]).cross(x[3] - x[1])) ||
                   shows(towards_segment(x[0], x[1], x[2])) ||
                   shows(towards_segment(x[0], x[2], x[3])) ||
                   shows(towards_segment(x[0], x[3], x[1]));
        return shows((x[1] - x[0]).cross(x[3] - x[2])) ||
               shows(towards_segment(x[0], x[2], x[3])) ||
               shows(towards_segment(x[1], x[2], x[3])) ||
               shows(towards_segment(x[2], x[0], x[1])) || shows(towards_segment(x[3], x[0], x[1]));
    }

  private:
    bool clear_along(const Vec3& direction, double low, double high) const {
        const double length = direction.stableNorm();
        if (!(length > 0)) return false;
        const Vec3 u = direction / length;
        double before = largest_, behind = largest_;  // B behind A by so much, or before it
        for (const double t : {low, high}) {
            std::array<double, 4> along;
            for (std::size_t i = 0; i < 4; ++i)
                along[i] = (1 - t) * u.dot(start_[i]) + t * u.dot(end_[i]);
            const auto middle = along.begin() + first_of_second_;
            const auto [a_low, a_high] = std::minmax_element(along.begin(), middle);
            const auto [b_low, b_high] = std::minmax_element(middle, along.end());
            before = std::min(before, *b_low - *a_high);
            behind = std::min(behind, *a_low - *b_high);
        }
        return std::max(before, behind) - separation_rounding * largest_ > distance_;
    }

    double distance_;
    int first_of_second_;  ///< index of the second primitive's first point
    std::array<Vec3, 4> start_, end_;
    double largest_ = 0;
};

std::optional<double> first_unclear(const Separation& pair, double low, double high,
                                    double tolerance) {
    if (pair.clear(low, high)) return std::nullopt;
    if (high - low <= tolerance) return low;
    const double middle = 0.5 * (low + high);
    const std::optional<double> left = first_unclear(pair, low, middle, tolerance);
    return left ? left : first_unclear(pair, middle, high, tolerance);
}

}  // namespace

std::optional<double> first_within(const CcdQuery& query, const SeparationOptions& options) {
    if (!(options.distance >= 0) || !(options.tolerance >= 1e-12))
        fail_input("continuous collision detection",
                   "the distance must not be negative and the tolerance at least 1e-12");
    return first_unclear(Separation(query, options.distance), 0, 1, options.tolerance);
}

}  // namespace taffeta::contact

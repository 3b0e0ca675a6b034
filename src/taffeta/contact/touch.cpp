#include "taffeta/contact/touch.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace taffeta::contact {
namespace {

// Parts of the thickness.
constexpr double rounding_gap = 1e-6;   ///< nearer than this is at the surface
constexpr double returning_gap = 1e-3;  ///< a released vertex must come closer by this
constexpr double landing_gap = 1e-3;    ///< where tracing stops
/// Tracing advances by at least this part of the whole way, which bounds its cost on a grazing way.
constexpr double least_advance = 1.0 / 16;

struct Landing {
    Vec3 point;
    Sample sample;
};

/// The first point within the thickness on the way from `start`, which is `gap` away from it.
std::optional<Landing> trace(const Obstacle& obstacle, const Vec3& start, const Vec3& way,
                             double time, double thickness, double gap) {
    const double length = way.norm();
    double travelled = 0;
    while (travelled < length) {
        travelled = std::min(length, travelled + std::max(gap, least_advance * length));
        const Vec3 point = start + travelled / length * way;
        const Sample sample = obstacle.sample(point, time);
        gap = sample.distance - thickness;
        if (gap <= landing_gap * thickness) return Landing{point, sample};
    }
    return std::nullopt;
}

}  // namespace

Touch find_touch(const Obstacle& obstacle, const Flight& flight, double thickness,
                 History history) {
    const double end = flight.time + flight.step;
    const Vec3 start = obstacle.carried(flight.from, flight.time, end);
    const Vec3 way = flight.to - start;
    Touch touch;
    if (!obstacle.near(start, thickness + std::max(way.norm(), thickness), end)) return touch;

    const Sample sample = obstacle.sample(start, end);
    const double gap = sample.distance - thickness;
    const double rise = sample.normal.dot(way);
    touch.surface_velocity = (start - flight.from) / flight.step;
    touch.state = gap < thickness ? Touch::State::close : Touch::State::away;

    if (gap > rounding_gap * thickness && !(history == History::held && gap < thickness)) {
        const auto landing = trace(obstacle, start, way, end, thickness, gap);
        if (!landing) return touch;
        touch.state = Touch::State::touching;
        touch.normal = landing->sample.normal;
        const double still = thickness - landing->sample.distance;
        touch.normal_speed = (touch.normal.dot(landing->point - flight.from) + still) / flight.step;
        return touch;
    }
    if (history == History::none && gap + rise > rounding_gap * thickness) return touch;
    if (history == History::released && (rise > 0 || gap + rise > -returning_gap * thickness))
        return touch;
    touch.state = Touch::State::touching;
    touch.normal = sample.normal;
    touch.normal_speed =
        touch.normal.dot(touch.surface_velocity) - std::max(0.0, gap) / flight.step;
    touch.depth = std::max(0.0, -gap);
    return touch;
}

}  // namespace taffeta::contact

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "taffeta/contact/rigid_obstacle.h"

namespace taffeta::contact {
namespace {

struct FunnelOptions {
    Vec3 center = Vec3::Zero();
    Vec3 axis = Vec3::UnitY();
    double top_radius = 0.4;
    double throat_radius = 0.12;
    double height = 0.3;
    double tube = 0.15;
    double thickness = 0.012;
    double bend = 0.05;
    Motion motion;

    static Fields<FunnelOptions> fields() {
        return {
            {"center", &FunnelOptions::center, "where the cone would meet the tube, m"},
            {"axis", &FunnelOptions::axis, "from the tube to the wide end"},
            {"top_radius", &FunnelOptions::top_radius, "of the wide end, m", positive()},
            {"throat_radius", &FunnelOptions::throat_radius, "of the tube, m", positive()},
            {"height", &FunnelOptions::height, "of the cone, m", positive()},
            {"tube", &FunnelOptions::tube, "length of the tube, m", positive()},
            {"thickness", &FunnelOptions::thickness, "of the wall, m", positive()},
            {"bend", &FunnelOptions::bend, "radius of the bend from cone to tube, m", positive()},
            {"motion", &FunnelOptions::motion, "rigid motion"}};
    }
};

/// A wall of even thickness along a profile that is turned about the axis: a segment of the cone, an
/// arc and a segment of the tube, one tangent to the next. In the half-plane of p with r the distance
/// from the axis and y the height, d = (distance to the profile) - thickness/2: exact on both sides
/// and inside, as the bend is wider than the wall.
///
///       \ top          r of the profile: top_radius at y = height,
///        \             throat_radius at y <= 0
///         ) bend
///         | tube
class Funnel final : public RigidObstacle {
  public:
    explicit Funnel(const FunnelOptions& options)
        : RigidObstacle(options.motion),
          center_(options.center),
          axis_(options.axis.normalized()),
          half_(options.thickness / 2),
          bend_(options.bend),
          top_(options.top_radius, options.height),
          bottom_(options.throat_radius, -options.tube) {
        const Vec2 corner(options.throat_radius, 0);
        const Vec2 up = (top_ - corner).normalized(), down(0, -1);
        const double half_angle = std::acos(std::clamp(up.dot(down), -1.0, 1.0)) / 2;
        cut_ = bend_ / std::tan(half_angle);
        high_ = corner + cut_ * up;
        low_ = corner + cut_ * down;
        turn_center_ = corner + bend_ / std::sin(half_angle) * (up + down).normalized();
    }
    /// How much of the cone and of the tube the bend takes, m.
    double cut() const { return cut_; }
    double cone_length() const { return (top_ - Vec2(bottom_.x(), 0)).norm(); }

  private:
    static Vec2 on_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
        const Vec2 way = b - a;
        return a + std::clamp(way.dot(p - a) / way.squaredNorm(), 0.0, 1.0) * way;
    }

    Vec2 nearest_on_profile(const Vec2& p) const {
        Vec2 nearest = on_segment(p, top_, high_);
        const Vec2 other = on_segment(p, low_, bottom_);
        if ((other - p).squaredNorm() < (nearest - p).squaredNorm()) nearest = other;
        // Within the sector of the arc: it is seen from the centre between its ends.
        const Vec2 q = p - turn_center_, h = high_ - turn_center_, l = low_ - turn_center_;
        const auto cross = [](const Vec2& a, const Vec2& b) {
            return a.x() * b.y() - a.y() * b.x();
        };
        const double sense = cross(h, l) > 0 ? 1 : -1;
        if (q.norm() > 0 && sense * cross(h, q) > 0 && sense * cross(q, l) > 0) {
            const Vec2 arc = turn_center_ + bend_ * q.normalized();
            if ((arc - p).squaredNorm() < (nearest - p).squaredNorm()) nearest = arc;
        }
        return nearest;
    }

    RestSample sample_at_rest(const Vec3& p) const override {
        const Vec3 offset = p - center_;
        const double y = offset.dot(axis_);
        const Vec3 radial = offset - y * axis_;
        const double r = radial.norm();
        const Vec3 outward = r > 0 ? Vec3(radial / r) : axis_.unitOrthogonal();
        const Vec2 way = Vec2(r, y) - nearest_on_profile(Vec2(r, y));
        const double length = way.norm();
        const Vec2 normal = length > 0 ? Vec2(way / length) : Vec2::UnitX();
        return {length - half_, (normal.x() * outward + normal.y() * axis_).normalized()};
    }

    mesh::TriMesh surface_at_rest() const override {
        constexpr int columns = 96, cap = 8, arc = 12, straight = 8;
        const double pi = std::numbers::pi;
        // Down the outside, around the lower rim, up the inside, around the upper rim.
        std::vector<Vec2> profile;
        const auto side = [&](double sign) {
            std::vector<Vec2> points;
            const Vec2 cone = (high_ - top_).normalized(), out(-cone.y(), cone.x());
            const double from =
                std::atan2(high_.y() - turn_center_.y(), high_.x() - turn_center_.x());
            double to = std::atan2(low_.y() - turn_center_.y(), low_.x() - turn_center_.x());
            if (to < from) to += 2 * pi;
            for (int k = 0; k < straight; ++k)
                points.push_back(top_ + (high_ - top_) * k / straight + sign * half_ * out);
            for (int k = 0; k <= arc; ++k) {
                const double angle = from + (to - from) * k / arc;
                points.push_back(turn_center_ +
                                 (bend_ - sign * half_) * Vec2(std::cos(angle), std::sin(angle)));
            }
            for (int k = 1; k <= straight; ++k)
                points.push_back(low_ + (bottom_ - low_) * k / straight + Vec2(sign * half_, 0));
            return points;
        };
        const auto rim = [&](const Vec2& at, double start) {
            for (int k = 1; k < cap; ++k) {
                const double angle = start - pi * k / cap;
                profile.push_back(at + half_ * Vec2(std::cos(angle), std::sin(angle)));
            }
        };
        profile = side(1);
        rim(bottom_, 0);
        std::vector<Vec2> inside = side(-1);
        std::reverse(inside.begin(), inside.end());
        const Vec2 end = inside.back() - top_;
        profile.insert(profile.end(), inside.begin(), inside.end());
        rim(top_, std::atan2(end.y(), end.x()));

        const Vec3 x = axis_.unitOrthogonal(), z = x.cross(axis_);
        const Index rows = Index(profile.size());
        mesh::TriMesh mesh;
        for (const Vec2& point : profile)
            for (int k = 0; k < columns; ++k) {
                const double angle = 2 * pi * k / columns;
                mesh.position.push_back(center_ + point.y() * axis_ +
                                        point.x() * (std::cos(angle) * x + std::sin(angle) * z));
            }
        for (Index row = 0; row < rows; ++row)
            for (Index k = 0; k < columns; ++k) {
                const Index next = (row + 1) % rows, beside = (k + 1) % columns;
                const Index a = row * columns + k, b = next * columns + k;
                const Index c = next * columns + beside, d = row * columns + beside;
                mesh.face.push_back({a, d, c});
                mesh.face.push_back({a, c, b});
            }
        return mesh;
    }

    Vec3 center_, axis_;
    double half_, bend_, cut_;
    Vec2 top_, bottom_;              ///< ends of the profile
    Vec2 high_, low_, turn_center_;  ///< ends of the arc, and its centre
};

}  // namespace

extern const ObstacleEntry entry_funnel;
constinit const ObstacleEntry entry_funnel{
    "funnel",
    "cone that narrows to a tube, a wall of even thickness",
    {},
    [] { return field_table<FunnelOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        const auto options = read_options<FunnelOptions>(settings);
        if (!(options.axis.norm() > 0)) settings.fail("the funnel's axis is zero");
        if (!(options.throat_radius < options.top_radius))
            settings.fail("the funnel's throat is not narrower than its top");
        if (options.thickness > options.throat_radius || options.thickness > options.bend)
            settings.fail("the funnel's wall is thicker than its throat or its bend",
                          "thickness <= throat_radius and thickness <= bend");
        options.motion.check(settings);
        auto funnel = std::make_unique<Funnel>(options);
        if (funnel->cut() > std::min(options.tube, funnel->cone_length()))
            settings.fail("the funnel's bend is longer than its cone or its tube",
                          "make `bend` smaller");
        return funnel;
    }};

}  // namespace taffeta::contact

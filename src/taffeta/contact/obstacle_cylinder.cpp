#include <algorithm>
#include <cmath>

#include "taffeta/contact/rigid_obstacle.h"
#include "taffeta/contact/rounded_surface.h"

namespace taffeta::contact {
namespace {

struct CylinderOptions {
    Vec3 center = Vec3::Zero();
    Vec3 axis = Vec3(0, 1, 0);
    double radius = 0.5;
    double height = 0.05;
    double rounding = 0.005;
    Motion motion;

    static Fields<CylinderOptions> fields() {
        return {{"center", &CylinderOptions::center, "m"},
                {"axis", &CylinderOptions::axis, "direction, of any length but zero"},
                {"radius", &CylinderOptions::radius, "m", positive()},
                {"height", &CylinderOptions::height, "along the axis, m", positive()},
                {"rounding", &CylinderOptions::rounding, "radius of the two rims, m", at_least(0)},
                {"motion", &CylinderOptions::motion, "rigid motion"}};
    }
};

/// A closed cylinder, such as a round table top: a rounded box in the plane (distance from the
/// axis, height). On the axis the normal of the wall is some perpendicular of it.
class Cylinder final : public RigidObstacle {
  public:
    explicit Cylinder(const CylinderOptions& options)
        : RigidObstacle(options.motion),
          center_(options.center),
          axis_(options.axis.normalized()),
          radius_(options.radius),
          height_(options.height),
          rounding_(options.rounding) {}

  private:
    RestSample sample_at_rest(const Vec3& p) const override {
        const Vec3 offset = p - center_;
        const double along = axis_.dot(offset);
        const Vec3 from_axis = offset - along * axis_;
        const double distance = from_axis.norm();
        const Vec3 radial = distance > 0 ? Vec3(from_axis / distance) : axis_.unitOrthogonal();
        const Vec3 upward = along < 0 ? Vec3(-axis_) : axis_;

        const Vec2 q(distance - (radius_ - rounding_), std::abs(along) - (height_ / 2 - rounding_));
        const Vec2 outside = q.cwiseMax(0);
        const double length = outside.norm();
        if (length > 0)
            return {length - rounding_, (outside.x() * radial + outside.y() * upward).normalized()};
        return {q.maxCoeff() - rounding_, q.x() > q.y() ? radial : upward};
    }

    mesh::TriMesh surface_at_rest() const override {
        mesh::TriMesh mesh = revolved(rounded_cylinder_profile(radius_, height_, rounding_, 6), 96);
        const Vec3 across = axis_.unitOrthogonal();
        const Vec3 last = across.cross(axis_);  // across, axis, last: right-handed
        for (Vec3& position : mesh.position)
            position = position.x() * across + position.y() * axis_ + position.z() * last + center_;
        return mesh;
    }

    Vec3 center_, axis_;
    double radius_, height_, rounding_;
};

}  // namespace

extern const ObstacleEntry entry_cylinder;
constinit const ObstacleEntry entry_cylinder{
    "cylinder",
    "closed cylinder with rounded rims: a disc, a table top, a post",
    {},
    [] { return field_table<CylinderOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        const auto options = read_options<CylinderOptions>(settings);
        if (options.axis.norm() < 1e-12) settings.fail("the cylinder's axis has no length");
        if (options.rounding > std::min(options.radius, options.height / 2))
            settings.fail("the cylinder's rounding is more than its radius or half its height");
        options.motion.check(settings);
        return std::make_unique<Cylinder>(options);
    }};

}  // namespace taffeta::contact

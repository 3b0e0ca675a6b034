#include <algorithm>

#include "taffeta/contact/rigid_obstacle.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::contact {
namespace {

struct CapsuleOptions {
    Vec3 from = Vec3(-0.5, 0, 0);
    Vec3 to = Vec3(0.5, 0, 0);
    double radius = 0.1;
    Motion motion;

    static Fields<CapsuleOptions> fields() {
        return {{"from", &CapsuleOptions::from, "one end of the axis, m"},
                {"to", &CapsuleOptions::to, "the other end, m"},
                {"radius", &CapsuleOptions::radius, "m", positive()},
                {"motion", &CapsuleOptions::motion, "rigid motion"}};
    }
};

/// All points within `radius` of a segment. On the axis the normal is some perpendicular of it.
class Capsule final : public RigidObstacle {
  public:
    explicit Capsule(const CapsuleOptions& options)
        : RigidObstacle(options.motion),
          from_(options.from),
          axis_(options.to - options.from),
          radius_(options.radius) {}

  private:
    RestSample sample_at_rest(const Vec3& p) const override {
        const double along = std::clamp(axis_.dot(p - from_) / axis_.squaredNorm(), 0.0, 1.0);
        const Vec3 offset = p - (from_ + along * axis_);
        const double length = offset.norm();
        return {length - radius_, length > 0 ? Vec3(offset / length) : axis_.unitOrthogonal()};
    }

    mesh::TriMesh surface_at_rest() const override {
        return mesh::capsule(radius_, from_, from_ + axis_, 48);
    }

    Vec3 from_, axis_;
    double radius_;
};

}  // namespace

extern const ObstacleEntry entry_capsule;
constinit const ObstacleEntry entry_capsule{
    "capsule",
    "all points within a radius of a segment",
    {},
    [] { return field_table<CapsuleOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        const auto options = read_options<CapsuleOptions>(settings);
        if ((options.to - options.from).norm() < 1e-9)
            settings.fail("the capsule's ends coincide", "use a sphere");
        options.motion.check(settings);
        return std::make_unique<Capsule>(options);
    }};

}  // namespace taffeta::contact

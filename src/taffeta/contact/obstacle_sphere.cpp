#include "taffeta/contact/rigid_obstacle.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::contact {
namespace {

struct SphereOptions {
    Vec3 center = Vec3::Zero();
    double radius = 0.5;
    Motion motion;

    static Fields<SphereOptions> fields() {
        return {{"center", &SphereOptions::center, "m"},
                {"radius", &SphereOptions::radius, "m", positive()},
                {"motion", &SphereOptions::motion, "rigid motion"}};
    }
};

/// d = |p - center| - radius. At the centre the normal is the y axis.
class Sphere final : public RigidObstacle {
  public:
    explicit Sphere(const SphereOptions& options)
        : RigidObstacle(options.motion), center_(options.center), radius_(options.radius) {}

  private:
    RestSample sample_at_rest(const Vec3& p) const override {
        const Vec3 offset = p - center_;
        const double length = offset.norm();
        return {length - radius_, length > 0 ? Vec3(offset / length) : Vec3::UnitY()};
    }

    mesh::TriMesh surface_at_rest() const override {
        mesh::TriMesh mesh = mesh::icosphere(radius_, 4);
        for (Vec3& position : mesh.position)
            position += center_;
        return mesh;
    }

    Vec3 center_;
    double radius_;
};

}  // namespace

extern const ObstacleEntry entry_sphere;
constinit const ObstacleEntry entry_sphere{
    "sphere",
    "ball",
    {},
    [] { return field_table<SphereOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        const auto options = read_options<SphereOptions>(settings);
        options.motion.check(settings);
        return std::make_unique<Sphere>(options);
    }};

}  // namespace taffeta::contact

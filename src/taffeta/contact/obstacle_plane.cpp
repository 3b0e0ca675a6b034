
#include <Eigen/Geometry>
#include "taffeta/contact/rigid_obstacle.h"

namespace taffeta::contact {
namespace {

struct PlaneOptions {
    Vec3 point = Vec3::Zero();
    Vec3 normal = Vec3(0, 1, 0);
    double extent = 2;
    Motion motion;

    static Fields<PlaneOptions> fields() {
        return {
            {"point", &PlaneOptions::point, "a point of the plane, m"},
            {"normal", &PlaneOptions::normal, "outward direction, of any length but zero"},
            {"extent", &PlaneOptions::extent, "half the side of the square drawn, m", positive()},
            {"motion", &PlaneOptions::motion, "rigid motion"}};
    }
};

/// The half-space behind a plane: d = n . (p - point). The motion turns the plane as well.
class Plane final : public RigidObstacle {
  public:
    explicit Plane(const PlaneOptions& options)
        : RigidObstacle(options.motion),
          point_(options.point),
          normal_(options.normal.normalized()),
          extent_(options.extent) {}

  private:
    RestSample sample_at_rest(const Vec3& p) const override {
        return {normal_.dot(p - point_), normal_};
    }

    mesh::TriMesh surface_at_rest() const override {
        const Vec3 right = extent_ * normal_.unitOrthogonal(), up = normal_.cross(right);
        mesh::TriMesh mesh;
        mesh.position = {point_ - right - up, point_ + right - up, point_ + right + up,
                         point_ - right + up};
        mesh.face = {{0, 1, 2}, {0, 2, 3}};
        return mesh;
    }

    Vec3 point_, normal_;
    double extent_;
};

}  // namespace

extern const ObstacleEntry entry_plane;
constinit const ObstacleEntry entry_plane{
    "plane",
    "half-space below a plane",
    {},
    [] { return field_table<PlaneOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        const auto options = read_options<PlaneOptions>(settings);
        if (options.normal.norm() < 1e-12) settings.fail("the plane's normal has no length");
        options.motion.check(settings);
        return std::make_unique<Plane>(options);
    }};

}  // namespace taffeta::contact

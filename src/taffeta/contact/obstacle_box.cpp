#include "taffeta/contact/rigid_obstacle.h"
#include "taffeta/contact/rounded_surface.h"

namespace taffeta::contact {
namespace {

struct BoxOptions {
    Vec3 center = Vec3::Zero();
    Vec3 half_size = Vec3(0.5, 0.5, 0.5);
    double rounding = 0.01;
    Vec3 rotate = Vec3::Zero();
    Motion motion;

    static Fields<BoxOptions> fields() {
        return {
            {"center", &BoxOptions::center, "m"},
            {"half_size", &BoxOptions::half_size, "half the lengths of the sides, m", positive()},
            {"rounding", &BoxOptions::rounding, "radius of edges and corners, m", at_least(0)},
            {"rotate", &BoxOptions::rotate, "rotation about the centre: axis times angle, degrees"},
            {"motion", &BoxOptions::motion, "rigid motion"}};
    }
};

/// The box of half size (half_size - rounding), grown by `rounding`. With q = |p| - core,
///     d = |max(q, 0)| + min(max_k q_k, 0) - rounding.
class Box final : public RigidObstacle {
  public:
    explicit Box(const BoxOptions& options)
        : RigidObstacle(options.motion),
          center_(options.center),
          half_size_(options.half_size),
          rounding_(options.rounding) {
        const Motion turned{{{0, Vec3::Zero(), options.rotate}}, Vec3::Zero(), Vec3::Zero()};
        rotation_ = turned.pose(0).rotation;
    }

  private:
    RestSample sample_at_rest(const Vec3& p) const override {
        const Vec3 local = rotation_.transpose() * (p - center_);
        const Vec3 q = local.cwiseAbs() - (half_size_ - Vec3::Constant(rounding_));
        const Vec3 outside = q.cwiseMax(0);
        const double length = outside.norm();
        Vec3 normal = Vec3::Zero();
        Eigen::Index axis;
        const double deepest = q.maxCoeff(&axis);
        if (length > 0)
            normal = outside / length;
        else
            normal[axis] = 1;
        for (int k = 0; k < 3; ++k)
            if (local[k] < 0) normal[k] = -normal[k];
        return {(length > 0 ? length : deepest) - rounding_, rotation_ * normal};
    }

    mesh::TriMesh surface_at_rest() const override {
        mesh::TriMesh mesh = rounded_box(half_size_, rounding_, 6);
        for (Vec3& position : mesh.position)
            position = rotation_ * position + center_;
        return mesh;
    }

    Vec3 center_, half_size_;
    double rounding_;
    Mat3 rotation_;
};

}  // namespace

extern const ObstacleEntry entry_box;
constinit const ObstacleEntry entry_box{
    "box",
    "block with rounded edges",
    {},
    [] { return field_table<BoxOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        const auto options = read_options<BoxOptions>(settings);
        if (options.rounding > options.half_size.minCoeff())
            settings.fail("the box's rounding is more than half of its shortest side");
        options.motion.check(settings);
        return std::make_unique<Box>(options);
    }};

}  // namespace taffeta::contact

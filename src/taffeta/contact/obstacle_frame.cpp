#include <cmath>
#include <numbers>

#include "taffeta/contact/rigid_obstacle.h"

namespace taffeta::contact {
namespace {

struct FrameOptions {
    Vec3 center = Vec3::Zero();
    Vec3 half_size = Vec3(0.5, 0.5, 0.1);
    Vec2 hole = Vec2(0.2, 0.2);
    double rounding = 0.01;
    Vec3 rotate = Vec3::Zero();
    Motion motion;

    static Fields<FrameOptions> fields() {
        return {
            {"center", &FrameOptions::center, "m"},
            {"half_size", &FrameOptions::half_size, "half the lengths of the sides, m", positive()},
            {"hole", &FrameOptions::hole,
             "half the lengths of the hole's sides along x and y; it runs through along z, m",
             positive()},
            {"rounding", &FrameOptions::rounding, "radius of the edges, m", at_least(0)},
            {"rotate", &FrameOptions::rotate,
             "rotation about the centre: axis times angle, degrees"},
            {"motion", &FrameOptions::motion, "rigid motion"}};
    }
};

/// Value and unit gradient of a distance in the plane.
struct PlaneDistance {
    double value;
    Vec2 gradient;
};

/// To a rectangle of half size `half`: |max(q, 0)| + min(max_k q_k, 0), q = |p| - half.
PlaneDistance rectangle_distance(const Vec2& p, const Vec2& half) {
    const Vec2 q = p.cwiseAbs() - half;
    const Vec2 outside = q.cwiseMax(0);
    const double length = outside.norm();
    Vec2 gradient = Vec2::Zero();
    Eigen::Index axis;
    const double deepest = q.maxCoeff(&axis);
    if (length > 0)
        gradient = outside / length;
    else
        gradient[axis] = 1;
    for (int k = 0; k < 2; ++k)
        if (p[k] < 0) gradient[k] = -gradient[k];
    return {length > 0 ? length : deepest, gradient};
}

/// A block with a rectangular hole along z, opened by a ball of radius r = `rounding`: all edges
/// that stick out are quarter tubes, the upright edges in the corners of the hole stay sharp.
///
/// Eroded by r it is the product of a plane region and an interval. With the distances o to the
/// outer rectangle less r and w to the hole, e = max(o, r - w) is that of the region, and
///     q = (e, |z| - (half_z - r)),   d = |max(q, 0)| + min(max_k q_k, 0) - r
/// is exact inside and outside, since erosion and dilation by r undo each other here.
class Frame final : public RigidObstacle {
  public:
    explicit Frame(const FrameOptions& options)
        : RigidObstacle(options.motion),
          center_(options.center),
          core_(options.half_size - Vec3::Constant(options.rounding)),
          hole_(options.hole),
          rounding_(options.rounding) {
        const Motion turned{{{0, Vec3::Zero(), options.rotate}}, Vec3::Zero(), Vec3::Zero()};
        rotation_ = turned.pose(0).rotation;
    }

  private:
    RestSample sample_at_rest(const Vec3& p) const override {
        const Vec3 local = rotation_.transpose() * (p - center_);
        const Vec2 plan = local.head<2>();
        const PlaneDistance outer = rectangle_distance(plan, core_.head<2>());
        const PlaneDistance hole = rectangle_distance(plan, hole_);
        const bool at_hole = rounding_ - hole.value > outer.value;
        const PlaneDistance side =
            at_hole ? PlaneDistance{rounding_ - hole.value, -hole.gradient} : outer;
        const Vec2 q(side.value, std::abs(local.z()) - core_.z());
        const Vec2 outside = q.cwiseMax(0);
        const double length = outside.norm();
        // Weights of the way to the side and of the way up or down.
        Vec2 way = outside / (length > 0 ? length : 1);
        if (length == 0) way = q.x() > q.y() ? Vec2::UnitX() : Vec2::UnitY();
        Vec3 normal;
        normal << way.x() * side.gradient, local.z() < 0 ? -way.y() : way.y();
        return {(length > 0 ? length : q.maxCoeff()) - rounding_, rotation_ * normal.normalized()};
    }

    /// Rows run around the cross-section: up the outer side, over the top, down the hole.
    mesh::TriMesh surface_at_rest() const override {
        constexpr int steps = 4, per_quarter = steps + 1;
        constexpr Index columns = 4 * per_quarter, rows = 4 * per_quarter;
        static constexpr int sign_x[] = {1, -1, -1, 1}, sign_y[] = {1, 1, -1, -1};
        mesh::TriMesh mesh;
        for (int row = 0; row < rows; ++row) {
            const bool inner = row >= 2 * per_quarter;
            const int up = inner ? rows - 1 - row : row;  // 0 at the bottom
            const double rise = std::numbers::pi / 2 *
                                (double(up % per_quarter) / steps - (up < per_quarter ? 1 : 0));
            const double z = (up < per_quarter ? -1 : 1) * core_.z() + rounding_ * std::sin(rise);
            const double reach = rounding_ * (inner ? 1 - std::cos(rise) : std::cos(rise));
            for (int column = 0; column < columns; ++column) {
                const int quarter = column / per_quarter;
                const double turn =
                    std::numbers::pi / 2 * (quarter + double(column % per_quarter) / steps);
                const Vec2 corner = inner ? hole_ : Vec2(core_.head<2>());
                const Vec3 local(sign_x[quarter] * corner.x() + reach * std::cos(turn),
                                 sign_y[quarter] * corner.y() + reach * std::sin(turn), z);
                mesh.position.push_back(rotation_ * local + center_);
            }
        }
        const auto at = [&](Index row, Index column) {
            return row % rows * columns + column % columns;
        };
        for (Index row = 0; row < rows; ++row)
            for (Index column = 0; column < columns; ++column) {
                add_face(mesh, at(row, column), at(row, column + 1), at(row + 1, column + 1));
                add_face(mesh, at(row, column), at(row + 1, column + 1), at(row + 1, column));
            }
        return mesh;
    }

    /// Leaves out those that have no area: where rows or columns meet in a sharp edge.
    static void add_face(mesh::TriMesh& mesh, Index a, Index b, Index c) {
        const Vec3& p = mesh.position[std::size_t(a)];
        const Vec3 u = mesh.position[std::size_t(b)] - p, w = mesh.position[std::size_t(c)] - p;
        if (u.cross(w).norm() > 1e-12 * std::max(u.squaredNorm(), w.squaredNorm()))
            mesh.face.push_back({a, b, c});
    }

    Vec3 center_;
    Vec3 core_;  ///< half size less the rounding
    Vec2 hole_;
    double rounding_;
    Mat3 rotation_;
};

}  // namespace

extern const ObstacleEntry entry_frame;
constinit const ObstacleEntry entry_frame{
    "frame",
    "block with a rectangular hole through it and rounded edges",
    {},
    [] { return field_table<FrameOptions>(); },
    [](const Settings& settings) -> std::unique_ptr<Obstacle> {
        const auto options = read_options<FrameOptions>(settings);
        const Vec2 wall = options.half_size.head<2>() - options.hole;
        if (options.rounding > options.half_size.z() || 2 * options.rounding > wall.minCoeff())
            settings.fail("the frame's rounding is more than half of its thinnest part",
                          "the walls beside the hole are half_size - hole thick");
        if (!(wall.minCoeff() > 0)) settings.fail("the frame's hole is larger than the frame");
        options.motion.check(settings);
        return std::make_unique<Frame>(options);
    }};

}  // namespace taffeta::contact

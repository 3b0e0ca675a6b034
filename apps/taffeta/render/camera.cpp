#include "render/camera.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::render {

Camera::Frame Camera::frame() const {
    Frame frame;
    frame.forward = (target - eye).normalized();
    Vec3 side = frame.forward.cross(up);
    // Looking along `up`: any side will do.
    if (side.norm() < 1e-9 * up.norm()) side = frame.forward.unitOrthogonal();
    frame.right = side.normalized();
    frame.up = frame.right.cross(frame.forward);
    return frame;
}

Outline::Outline() {
    std::size_t d = 0;
    for (int x = -1; x <= 1; ++x)
        for (int y = -1; y <= 1; ++y)
            for (int z = -1; z <= 1; ++z)
                if (x || y || z) direction_[d++] = Vec3(x, y, z).normalized();
}

void Outline::add(const Vec3& point) {
    if (!point.allFinite()) return;
    if (empty_) {
        low_ = high_ = point;
        points_.fill(point);
        for (std::size_t d = 0; d < 26; ++d)
            reach_[d] = direction_[d].dot(point);
        empty_ = false;
        return;
    }
    low_ = low_.cwiseMin(point);
    high_ = high_.cwiseMax(point);
    for (std::size_t d = 0; d < 26; ++d) {
        const double reach = direction_[d].dot(point);
        if (reach <= reach_[d]) continue;
        reach_[d] = reach;
        points_[d] = point;
    }
}

void Outline::add(const VecX& positions) {
    for (Index i = 0; i < Index(positions.size() / 3); ++i)
        add(Vec3(vec3(positions, i)));
}

void Outline::add(const std::vector<Vec3>& positions) {
    for (const Vec3& position : positions)
        add(position);
}

void Outline::add(const Outline& other) {
    if (other.empty_) return;
    for (const Vec3& point : other.points_)
        add(point);
}

Camera fit_camera(const Outline& outline, const Vec3& up, double aspect, const View& view) {
    const double degree = std::numbers::pi / 180;
    const Vec3 front = up.z() > 0.5 ? Vec3(-Vec3::UnitY()) : Vec3(Vec3::UnitZ());
    const Vec3 side = up.cross(front);
    const Vec3 level =
        std::cos(view.azimuth * degree) * front + std::sin(view.azimuth * degree) * side;
    const Vec3 towards_eye =
        std::cos(view.elevation * degree) * level + std::sin(view.elevation * degree) * up;

    Camera camera;
    camera.up = up;
    camera.vertical_fov = view.vertical_fov;
    camera.target = outline.center();
    camera.eye = camera.target + towards_eye;
    if (outline.empty()) return camera;

    // With the eye at target + offset axis - distance forward, a point p (from the target) is inside
    // a pair of opposite planes of the view pyramid when
    //     p.axis - tangent p.forward <=  offset + tangent distance
    //    -p.axis - tangent p.forward <= -offset + tangent distance.
    // Both hold with equality for one offset and distance; the farther of the horizontal and the
    // vertical distance holds everything.
    const Camera::Frame frame = camera.frame();
    const double tan_y = std::tan(view.vertical_fov * degree / 2) * (1 - 2 * view.margin);
    const double tan_x = std::tan(view.vertical_fov * degree / 2) * (aspect - 2 * view.margin);
    const auto offset_and_distance = [&](const Vec3& axis, double tangent) {
        double plus = -1e300, minus = -1e300;
        for (const Vec3& point : outline.points()) {
            const Vec3 p = point - camera.target;
            const double depth = p.dot(frame.forward);
            plus = std::max(plus, p.dot(axis) - tangent * depth);
            minus = std::max(minus, -p.dot(axis) - tangent * depth);
        }
        return Vec2((plus - minus) / 2, (plus + minus) / (2 * tangent));
    };
    const Vec2 horizontal = offset_and_distance(frame.right, tan_x);
    const Vec2 vertical = offset_and_distance(frame.up, tan_y);
    const double distance =
        std::max({horizontal[1], vertical[1], 1e-6 + 1e-3 * outline.diagonal()});
    camera.target += horizontal[0] * frame.right + vertical[0] * frame.up;
    camera.eye = camera.target - distance * frame.forward;
    return camera;
}

}  // namespace taffeta::render

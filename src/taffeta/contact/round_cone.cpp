#include "taffeta/contact/round_cone.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "taffeta/contact/rounded_surface.h"

namespace taffeta::contact {

RoundCone::Distance RoundCone::at(const Vec3& p) const {
    const double length = (to - from).norm();
    const Vec3 axis = (to - from) / length;
    const Vec3 offset = p - from;
    const double y = offset.dot(axis);
    const Vec3 radial = offset - y * axis;
    const double rho = radial.norm();
    const double sine = (from_radius - to_radius) / length;
    const double cosine = std::sqrt(1 - sine * sine);
    const double along = y * cosine - rho * sine;
    if (along <= 0 || along >= length * cosine) {
        const Vec3 way = along <= 0 ? offset : Vec3(p - to);
        const double far = way.norm();
        return {far - (along <= 0 ? from_radius : to_radius),
                far > 0 ? Vec3(way / far) : Vec3(along <= 0 ? -axis : axis)};
    }
    const Vec3 outward = rho > 0 ? Vec3(radial / rho) : axis.unitOrthogonal();
    return {rho * cosine + y * sine - from_radius, cosine * outward + sine * axis};
}

mesh::TriMesh RoundCone::surface(int segments) const {
    const double length = (to - from).norm();
    const double tilt = std::asin((from_radius - to_radius) / length);
    // From the pole below `from` to the tangent point at angle `tilt`, then on to the other pole, with
    // rings along the side so that no face is long and thin.
    const int steps = std::max(3, segments / 4);
    const int along = std::max(1, int(length * segments / (2 * std::numbers::pi * from_radius)));
    std::vector<Vec2> profile;
    const auto rim = [&](double center, double radius, double angle) {
        profile.emplace_back(radius * std::cos(angle), center + radius * std::sin(angle));
    };
    profile.emplace_back(0, -from_radius);
    for (int k = 1; k <= steps; ++k)
        rim(0, from_radius, -std::numbers::pi / 2 + (tilt + std::numbers::pi / 2) * k / steps);
    for (int k = 1; k < along; ++k) {
        const double part = double(k) / along;
        rim(part * length, from_radius + part * (to_radius - from_radius), tilt);
    }
    for (int k = 0; k < steps; ++k)
        rim(length, to_radius, tilt + (std::numbers::pi / 2 - tilt) * k / steps);
    profile.emplace_back(0, length + to_radius);
    mesh::TriMesh mesh = revolved(profile, segments);
    const auto turn = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitY(), to - from);
    for (Vec3& position : mesh.position)
        position = turn * position + from;
    return mesh;
}

}  // namespace taffeta::contact

#include "taffeta/contact/rounded_surface.h"

#include <cmath>
#include <numbers>

namespace taffeta::contact {
namespace {

void add_quad(mesh::TriMesh& mesh, Index a, Index b, Index c, Index d) {
    mesh.face.push_back({a, b, c});
    mesh.face.push_back({a, c, d});
}

/// The longitudes or latitudes of a rounded profile: a quarter turn is cut in `steps`, and the
/// angle where two corners meet comes twice, once for each.
std::vector<std::pair<double, int>> doubled_angles(double from, int quarters, int steps) {
    std::vector<std::pair<double, int>> angles;
    for (int quarter = 0; quarter < quarters; ++quarter)
        for (int k = 0; k <= steps; ++k)
            angles.emplace_back(from + (quarter + double(k) / steps) * std::numbers::pi / 2,
                                quarter);
    return angles;
}

}  // namespace

mesh::TriMesh rounded_box(const Vec3& half_size, double rounding, int steps) {
    const Vec3 core = half_size - Vec3::Constant(rounding);
    mesh::TriMesh mesh;
    if (rounding <= 0) {
        for (int corner = 0; corner < 8; ++corner)
            mesh.position.emplace_back((corner & 1 ? 1 : -1) * core.x(),
                                       (corner & 2 ? 1 : -1) * core.y(),
                                       (corner & 4 ? 1 : -1) * core.z());
        add_quad(mesh, 0, 4, 6, 2);
        add_quad(mesh, 1, 3, 7, 5);
        add_quad(mesh, 0, 1, 5, 4);
        add_quad(mesh, 2, 6, 7, 3);
        add_quad(mesh, 0, 2, 3, 1);
        add_quad(mesh, 4, 5, 7, 6);
        return mesh;
    }
    // A sphere of latitudes and longitudes whose octants are pulled apart to the box's corners.
    const auto ring = doubled_angles(0, 4, steps);
    const auto height = doubled_angles(-std::numbers::pi / 2, 2, steps);
    static constexpr int sign_x[] = {1, -1, -1, 1}, sign_z[] = {1, 1, -1, -1};
    const auto point = [&](std::size_t row, std::size_t column) {
        const auto [latitude, half] = height[row];
        const auto [longitude, quarter] = ring[column];
        const Vec3 direction(std::cos(latitude) * std::cos(longitude), std::sin(latitude),
                             std::cos(latitude) * std::sin(longitude));
        const Vec3 corner(sign_x[quarter] * core.x(), (half ? 1 : -1) * core.y(),
                          sign_z[quarter] * core.z());
        return Vec3(corner + rounding * direction);
    };
    // The first and last rows are the poles: one point for each corner, four of them.
    const auto columns = Index(ring.size());
    const auto rows = Index(height.size());
    const auto pole = [&](Index row) {
        const Index first = mesh.vertex_count();
        for (std::size_t quarter = 0; quarter < 4; ++quarter)
            mesh.position.push_back(point(std::size_t(row), quarter * (ring.size() / 4)));
        return first;
    };
    const Index bottom = pole(0);
    const Index body = mesh.vertex_count();
    for (Index row = 1; row + 1 < rows; ++row)
        for (Index column = 0; column < columns; ++column)
            mesh.position.push_back(point(std::size_t(row), std::size_t(column)));
    const Index top = pole(rows - 1);
    const auto at = [&](Index row, Index column) {
        const Index wrapped = column % columns;
        if (row == 0) return bottom + Index(ring[std::size_t(wrapped)].second);
        if (row == rows - 1) return top + Index(ring[std::size_t(wrapped)].second);
        return body + (row - 1) * columns + wrapped;
    };
    for (Index row = 0; row + 1 < rows; ++row)
        for (Index column = 0; column < columns; ++column) {
            const Index a = at(row, column), b = at(row + 1, column);
            const Index c = at(row + 1, column + 1), d = at(row, column + 1);
            if (a != d && b != c) {
                add_quad(mesh, a, b, c, d);
            } else if (a != d) {
                mesh.face.push_back({a, b, d});
            } else if (b != c) {
                mesh.face.push_back({a, b, c});
            }
        }
    add_quad(mesh, bottom, bottom + 1, bottom + 2, bottom + 3);
    add_quad(mesh, top, top + 3, top + 2, top + 1);
    return mesh;
}

mesh::TriMesh revolved(const std::vector<Vec2>& profile, int segments) {
    mesh::TriMesh mesh;
    const auto rings = Index(profile.size()) - 2;
    mesh.position.emplace_back(0, profile.front().y(), 0);
    for (Index ring = 1; ring <= rings; ++ring)
        for (Index k = 0; k < segments; ++k) {
            const Vec2& rim = profile[std::size_t(ring)];
            const double angle = 2 * std::numbers::pi * k / segments;
            mesh.position.emplace_back(rim.x() * std::cos(angle), rim.y(),
                                       rim.x() * std::sin(angle));
        }
    mesh.position.emplace_back(0, profile.back().y(), 0);
    const Index top = mesh.vertex_count() - 1;
    for (Index k = 0; k < segments; ++k) {
        const Index next = (k + 1) % segments;
        mesh.face.push_back({0, 1 + k, 1 + next});
        for (Index ring = 0; ring + 1 < rings; ++ring) {
            const Index low = 1 + ring * segments, high = low + segments;
            add_quad(mesh, low + k, high + k, high + next, low + next);
        }
        const Index last = 1 + (rings - 1) * segments;
        mesh.face.push_back({last + k, top, last + next});
    }
    return mesh;
}

std::vector<Vec2> rounded_cylinder_profile(double radius, double height, double rounding,
                                           int steps) {
    const double inner = radius - rounding, half = height / 2 - rounding;
    std::vector<Vec2> profile = {Vec2(0, -height / 2)};
    for (int side = -1; side <= 1; side += 2)
        for (int k = 0; k <= (rounding > 0 ? steps : 0); ++k) {
            const double turn = std::numbers::pi / 2 * k / steps;
            const double angle = side < 0 ? turn - std::numbers::pi / 2 : turn;
            profile.emplace_back(inner + rounding * std::cos(angle),
                                 side * half + rounding * std::sin(angle));
        }
    profile.emplace_back(0, height / 2);
    return profile;
}

}  // namespace taffeta::contact

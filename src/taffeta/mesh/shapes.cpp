#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "taffeta/base/error.h"
#include "taffeta/mesh/counted_random.h"
#include "taffeta/mesh/delaunay.h"
#include "taffeta/mesh/generators.h"

/// Solids for obstacles and tests, closed and with outward normals, and the flat disc.
namespace taffeta::mesh {

namespace {

constexpr double pi = std::numbers::pi;

void require_positive(const char* shape, const char* name, double value) {
    if (!(value > 0) || !std::isfinite(value))
        fail_input(shape, fmt::format("{} {} is not positive", name, value));
}

void require_count(const char* shape, const char* name, int value, int low, int high) {
    if (value < low || value > high)
        fail_input(shape, fmt::format("{} {} is out of range", name, value),
                   fmt::format("{} to {}", low, high));
}

/// Splits each face into four at the middles of its edges.
void subdivide(TriMesh& mesh) {
    std::map<Edge, Index> middle;
    const auto middle_of = [&](Index a, Index b) {
        const auto [found, is_new] =
            middle.try_emplace({std::min(a, b), std::max(a, b)}, mesh.vertex_count());
        if (is_new)
            mesh.position.push_back(
                (mesh.position[std::size_t(a)] + mesh.position[std::size_t(b)]) / 2);
        return found->second;
    };
    std::vector<Triangle> finer;
    finer.reserve(4 * mesh.face.size());
    for (const auto& [a, b, c] : mesh.face) {
        const Index ab = middle_of(a, b), bc = middle_of(b, c), ca = middle_of(c, a);
        finer.push_back({a, ab, ca});
        finer.push_back({ab, b, bc});
        finer.push_back({ca, bc, c});
        finer.push_back({ab, bc, ca});
    }
    mesh.face = std::move(finer);
}

/// A closed surface of revolution about the axis `along` through `origin`, from the pole at
/// `profile.front()` over rings to the pole at `profile.back()`; (radius, height) each.
TriMesh revolve(const std::vector<Vec2>& profile, const Vec3& origin, const Vec3& along,
                Index segments) {
    const Vec3 side = along.unitOrthogonal(), up = along.cross(side);
    const Index rings = Index(profile.size()) - 2;
    TriMesh mesh;
    mesh.position.push_back(origin + along * profile.front().y());
    for (Index ring = 1; ring <= rings; ++ring)
        for (Index s = 0; s < segments; ++s) {
            const double angle = 2 * pi * s / segments;
            const Vec2& point = profile[std::size_t(ring)];
            mesh.position.push_back(origin + along * point.y() +
                                    point.x() * (std::cos(angle) * side + std::sin(angle) * up));
        }
    mesh.position.push_back(origin + along * profile.back().y());

    const Index last = mesh.vertex_count() - 1;
    const auto vertex = [&](Index ring, Index s) {
        return 1 + (ring - 1) * segments + s % segments;
    };
    for (Index s = 0; s < segments; ++s) {
        mesh.face.push_back({0, vertex(1, s + 1), vertex(1, s)});
        for (Index ring = 1; ring < rings; ++ring) {
            mesh.face.push_back({vertex(ring, s), vertex(ring, s + 1), vertex(ring + 1, s + 1)});
            mesh.face.push_back({vertex(ring, s), vertex(ring + 1, s + 1), vertex(ring + 1, s)});
        }
        mesh.face.push_back({last, vertex(rings, s), vertex(rings, s + 1)});
    }
    return mesh;
}

}  // namespace

TriMesh icosphere(double radius, int subdivisions) {
    require_positive("icosphere", "radius", radius);
    require_count("icosphere", "subdivisions", subdivisions, 0, 12);
    const double g = std::numbers::phi;
    TriMesh mesh;
    mesh.position = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                     {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
    mesh.face = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                 {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                 {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                 {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    for (Vec3& x : mesh.position)
        x.normalize();
    for (int level = 0; level < subdivisions; ++level) {
        subdivide(mesh);
        for (Vec3& x : mesh.position)
            x.normalize();
    }
    for (Vec3& x : mesh.position)
        x *= radius;
    return mesh;
}

TriMesh box(const Vec3& half_size) {
    for (const double half : half_size)
        require_positive("box", "half size", half);
    TriMesh mesh;
    for (int corner = 0; corner < 8; ++corner)
        mesh.position.emplace_back((corner & 1 ? 1 : -1) * half_size.x(),
                                   (corner & 2 ? 1 : -1) * half_size.y(),
                                   (corner & 4 ? 1 : -1) * half_size.z());
    mesh.face = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                 {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

TriMesh capsule(double radius, const Vec3& from, const Vec3& to, int segments) {
    require_positive("capsule", "radius", radius);
    require_count("capsule", "segments", segments, 3, 4096);
    const double length = (to - from).norm();
    if (!std::isfinite(length)) fail_input("capsule", "its ends are not finite");
    const Vec3 along = length > 0 ? Vec3((to - from) / length) : Vec3(0, 0, 1);
    const int quarter = std::max(2, segments / 4);
    std::vector<Vec2> profile;
    for (int i = 0; i <= quarter; ++i) {
        const double angle = pi / 2 * i / quarter;
        profile.emplace_back(radius * std::sin(angle), -radius * std::cos(angle));
    }
    // A capsule without length is a sphere: its equator is one ring, not two on each other.
    for (int i = length > 0 ? 0 : 1; i <= quarter; ++i) {
        const double angle = pi / 2 * i / quarter;
        profile.emplace_back(radius * std::cos(angle), length + radius * std::sin(angle));
    }
    return revolve(profile, from, along, segments);
}

TriMesh cylinder(double radius, double height, int segments) {
    require_positive("cylinder", "radius", radius);
    require_positive("cylinder", "height", height);
    require_count("cylinder", "segments", segments, 3, 1 << 20);
    const double half = height / 2;
    return revolve({{0, -half}, {radius, -half}, {radius, half}, {0, half}}, Vec3::Zero(),
                   Vec3(0, 0, 1), segments);
}

TriMesh disc(double radius, int rings, Tessellation tessellation, std::uint64_t seed,
             Index still_rings) {
    require_positive("disc", "radius", radius);
    require_count("disc", "rings", rings, 1, 10000);
    TriMesh mesh;
    mesh.position.push_back(Vec3::Zero());
    for (Index ring = 1; ring <= rings; ++ring)
        for (Index j = 0; j < 6 * ring; ++j) {
            const double angle = 2 * pi * j / (6 * ring), r = radius * ring / rings;
            mesh.position.emplace_back(r * std::cos(angle), r * std::sin(angle), 0);
        }
    const auto vertex = [](Index ring, Index j) {
        return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + j % (6 * ring);
    };
    // Each of the six sectors: ring - 1 steps inside, ring steps outside.
    for (Index ring = 1; ring <= rings; ++ring)
        for (Index sector = 0; sector < 6; ++sector)
            for (Index t = 0; t < ring; ++t) {
                const Index in = sector * (ring - 1) + t, out = sector * ring + t;
                mesh.face.push_back(
                    {vertex(ring - 1, in), vertex(ring, out), vertex(ring, out + 1)});
                if (t + 1 < ring)
                    mesh.face.push_back(
                        {vertex(ring - 1, in), vertex(ring, out + 1), vertex(ring - 1, in + 1)});
            }
    if (tessellation == Tessellation::irregular) {
        // Triangles of a height of 0.87 cells: less than half of that for both ends of it together.
        const double size = 0.24 * radius / rings;
        const Index first = still_rings > 0 ? vertex(std::min(still_rings, rings - 1) + 1, 0) : 0;
        for (Index i = first; i < vertex(rings, 0); ++i)
            for (int axis = 0; axis < 2; ++axis)
                mesh.position[std::size_t(i)][axis] +=
                    size * (2 * counted_random(std::uint64_t(i), std::uint64_t(axis), seed) - 1);
        make_delaunay(mesh.position, mesh.face);
    }
    for (const Vec3& x : mesh.position)
        mesh.uv.emplace_back(x.x(), x.y());
    mesh.face_uv = mesh.face;
    return mesh;
}

}  // namespace taffeta::mesh

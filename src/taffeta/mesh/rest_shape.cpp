#include "taffeta/mesh/rest_shape.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "taffeta/base/error.h"
#include "taffeta/mesh/charts.h"
#include "taffeta/mesh/place.h"

namespace taffeta::mesh {

namespace {

/// Below this share of the square of the longest edge an area is rounding, not shape.
constexpr double degenerate_share = 1e-12;

double longest_edge_sq(const std::array<Vec2, 3>& uv) {
    return std::max({(uv[1] - uv[0]).squaredNorm(), (uv[2] - uv[1]).squaredNorm(),
                     (uv[0] - uv[2]).squaredNorm()});
}

double edge_length(const std::array<Vec2, 3>& uv, int opposite) {
    return (uv[std::size_t((opposite + 1) % 3)] - uv[std::size_t((opposite + 2) % 3)]).norm();
}

void require_uv(const TriMesh& mesh) {
    if (mesh.uv.empty())
        fail_input(mesh_place(mesh), "the mesh has no uv coordinates, which are its rest shape",
                   "export the mesh with uv, or take the rest shape from a mesh");
    if (mesh.face_uv.empty()) {
        if (mesh.uv.size() != mesh.position.size())
            fail_input(mesh_place(mesh),
                       fmt::format("{} uv coordinates for {} vertices, and no face names them",
                                   mesh.uv.size(), mesh.position.size()),
                       "write faces as v/vt");
        return;
    }
    std::vector<Index> without;
    for (Index f = 0; f < mesh.face_count(); ++f)
        for (const Index corner : mesh.face_uv[std::size_t(f)])
            if (corner < 0 || std::size_t(corner) >= mesh.uv.size()) {
                without.push_back(f);
                break;
            }
    if (!without.empty())
        fail_input(face_place(mesh, without[0]),
                   fmt::format("{} of {} faces have no uv coordinates: face {}", without.size(),
                               mesh.face.size(), first_of(without)),
                   "give every face uv, or take the rest shape from a mesh");
}

void fail_degenerate(const TriMesh& mesh, const RestShape& rest, const char* space) {
    std::vector<Index> flat;
    for (Index f = 0; f < mesh.face_count(); ++f) {
        const double limit = degenerate_share * longest_edge_sq(rest.face_uv[std::size_t(f)]);
        if (!(std::abs(rest.area[std::size_t(f)]) > limit)) flat.push_back(f);
    }
    if (!flat.empty())
        fail_input(
            face_place(mesh, flat[0]),
            fmt::format("{} of {} faces have no area in {}: face {}; the first has {:.3g} m^2",
                        flat.size(), mesh.face.size(), space, first_of(flat),
                        rest.area[std::size_t(flat[0])]),
            "collapse or delete them, or run `taffeta check FILE --repair OUT`");
}

/// Turns the charts that are mirrored as a whole (u changes its sign, so that the warp stays the
/// warp); a chart with both signs is folded over and has no rest shape.
void turn_mirrored_charts(const TriMesh& mesh, const Charts& charts, RestShape& rest) {
    std::vector<Index> mirrored(std::size_t(charts.count), 0), size(std::size_t(charts.count), 0);
    for (std::size_t f = 0; f < rest.area.size(); ++f) {
        ++size[std::size_t(charts.of_face[f])];
        if (rest.area[f] < 0) ++mirrored[std::size_t(charts.of_face[f])];
    }

    std::vector<Index> folded;
    for (std::size_t f = 0; f < rest.area.size(); ++f) {
        const std::size_t chart = std::size_t(charts.of_face[f]);
        if (mirrored[chart] == 0 || mirrored[chart] == size[chart]) continue;
        const bool most_are_mirrored = 2 * mirrored[chart] > size[chart];
        if ((rest.area[f] < 0) != most_are_mirrored) folded.push_back(Index(f));
    }
    if (!folded.empty())
        fail_input(face_place(mesh, folded[0]),
                   fmt::format("{} of {} faces are turned over in uv against the rest of their "
                               "chart: face {}; the first has area {:.3g} m^2",
                               folded.size(), mesh.face.size(), first_of(folded),
                               rest.area[std::size_t(folded[0])]),
                   "unfold the uv there, or make the winding consistent with `taffeta check FILE "
                   "--repair OUT`");

    for (std::size_t f = 0; f < rest.area.size(); ++f) {
        if (rest.area[f] > 0) continue;
        for (Vec2& corner : rest.face_uv[f])
            corner.x() = -corner.x();
        rest.area[f] = -rest.area[f];
    }
}

void set_areas(RestShape& rest) {
    rest.area.resize(rest.face_uv.size());
    for (std::size_t f = 0; f < rest.face_uv.size(); ++f) {
        const Vec2 d1 = rest.face_uv[f][1] - rest.face_uv[f][0];
        const Vec2 d2 = rest.face_uv[f][2] - rest.face_uv[f][0];
        rest.area[f] = (d1.x() * d2.y() - d2.x() * d1.y()) / 2;
    }
}

/// Where the two panels of a seam disagree about the length of the edge, the mean of both.
void set_hinge_lengths(const Topology& topology, RestShape& rest) {
    rest.hinge_length.resize(topology.hinge.size());
    for (std::size_t i = 0; i < topology.hinge.size(); ++i) {
        const Hinge& hinge = topology.hinge[i];
        double sum = 0;
        for (std::size_t side = 0; side < 2; ++side)
            sum += edge_length(rest.face_uv[std::size_t(hinge.face[side])], hinge.local_edge[side]);
        rest.hinge_length[i] = sum / 2;
    }
}

}  // namespace

RestShape rest_from_uv(const TriMesh& mesh, const Topology& topology, double scale) {
    if (!(scale > 0) || !std::isfinite(scale))
        fail_input(mesh_place(mesh), fmt::format("uv scale {} is not positive", scale),
                   "metres per uv unit");
    require_uv(mesh);
    RestShape rest;
    rest.face_uv.resize(mesh.face.size());
    const std::vector<Triangle>& corner = mesh.face_uv.empty() ? mesh.face : mesh.face_uv;
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            rest.face_uv[f][k] = scale * mesh.uv[std::size_t(corner[f][k])];
    set_areas(rest);
    fail_degenerate(mesh, rest, "uv");
    turn_mirrored_charts(mesh, uv_charts(topology, rest.face_uv), rest);
    rest.hinge_angle.assign(topology.hinge.size(), 0.0);
    set_hinge_lengths(topology, rest);
    return rest;
}

RestShape rest_from_mesh(const TriMesh& rest_mesh, const Topology& topology, const Vec3& warp,
                         bool keep_angles) {
    if (rest_mesh.face.size() != topology.face_edge.size())
        fail_input(mesh_place(rest_mesh),
                   fmt::format("the rest mesh has {} faces, the mesh {}", rest_mesh.face.size(),
                               topology.face_edge.size()),
                   "both need the same vertices and faces in the same order");
    RestShape rest;
    rest.face_uv.resize(rest_mesh.face.size());
    for (std::size_t f = 0; f < rest_mesh.face.size(); ++f) {
        const auto& [i, j, k] = rest_mesh.face[f];
        const Vec3 p = rest_mesh.position[std::size_t(j)] - rest_mesh.position[std::size_t(i)];
        const Vec3 q = rest_mesh.position[std::size_t(k)] - rest_mesh.position[std::size_t(i)];
        const Vec3 normal = p.cross(q).normalized();
        Vec3 u = warp - normal * normal.dot(warp);
        if (!(u.norm() > 1e-6 * warp.norm())) u = p;
        u.normalize();
        const Vec3 v = normal.cross(u);
        rest.face_uv[f] = {Vec2::Zero(), Vec2(u.dot(p), v.dot(p)), Vec2(u.dot(q), v.dot(q))};
    }
    set_areas(rest);
    fail_degenerate(rest_mesh, rest, "the rest mesh");
    rest.hinge_angle.assign(topology.hinge.size(), 0.0);
    if (keep_angles)
        for (std::size_t i = 0; i < topology.hinge.size(); ++i) {
            const auto& [v0, v1, v2, v3] = topology.hinge[i].vertex;
            rest.hinge_angle[i] = hinge_angle(
                rest_mesh.position[std::size_t(v0)], rest_mesh.position[std::size_t(v1)],
                rest_mesh.position[std::size_t(v2)], rest_mesh.position[std::size_t(v3)]);
        }
    set_hinge_lengths(topology, rest);
    return rest;
}

double hinge_angle(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3) {
    const Vec3 e = x1 - x0;
    const Vec3 n1 = e.cross(x2 - x0), n2 = (x3 - x0).cross(e);
    return std::atan2(n1.cross(n2).dot(e.normalized()), n1.dot(n2));
}

std::vector<double> lumped_mass(const TriMesh& mesh, const RestShape& rest, double density) {
    std::vector<double> mass(mesh.position.size(), 0.0);
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (const Index vertex : mesh.face[f])
            mass[std::size_t(vertex)] += density * rest.area[f] / 3;
    return mass;
}

}  // namespace taffeta::mesh

#include "taffeta/scene/body_builder.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "taffeta/mesh/counted_random.h"
#include "taffeta/mesh/validate.h"
#include "taffeta/scene/mesh_source.h"
#include "taffeta/scene/pin_selection.h"

namespace taffeta::scene {

/// Adds findings; throws the first error with the number of others.
void take_findings(const Scene& scene, const std::string& path, const Diagnostics& findings,
                   Diagnostics& diagnostics) {
    const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::error; };
    const auto first = std::find_if(findings.begin(), findings.end(), is_error);
    if (first != findings.end()) {
        const auto others = std::count_if(findings.begin(), findings.end(), is_error) - 1;
        const std::string more =
            others > 0 ? fmt::format(" (and {} more: `taffeta check` lists them)", others) : "";
        scene.fail(path, first->text() + more, "`\"repair\": true` mends what can be mended");
    }
    // Notes (an open mesh) are for mesh files by themselves: cloth is open.
    for (const Diagnostic& finding : findings)
        if (finding.severity != Severity::note) diagnostics.push_back(finding);
}

namespace {

double median_edge(const mesh::Topology& topology, const std::vector<Vec3>& x) {
    std::vector<double> length;
    for (const Edge& edge : topology.edge)
        length.push_back((x[std::size_t(edge[0])] - x[std::size_t(edge[1])]).norm());
    if (length.empty()) return 0;
    const auto middle = length.begin() + std::ptrdiff_t(length.size() / 2);
    std::nth_element(length.begin(), middle, length.end());
    return *middle;
}

/// Sizes that suggest a wrong unit. Nothing is ever rescaled by itself.
void check_units(const Scene& scene, const std::string& path, double uv_scale,
                 const sim::Body& body, Diagnostics& diagnostics) {
    const double edge = median_edge(body.topology, body.mesh.position);
    if (edge > 1 || edge < 1e-4)
        diagnostics.push_back(scene.warning(path + ".mesh",
                                            fmt::format("the median edge is {:.3g} m", edge),
                                            "is the mesh in metres? `transform.scale` changes it"));
    double world = 0, rest = 0;
    for (std::size_t f = 0; f < body.mesh.face.size(); ++f) {
        const Triangle& face = body.mesh.face[f];
        const Vec3& a = body.mesh.position[std::size_t(face[0])];
        world += 0.5 * (body.mesh.position[std::size_t(face[1])] - a)
                           .cross(body.mesh.position[std::size_t(face[2])] - a)
                           .norm();
        rest += body.rest.area[f];
    }
    const double ratio = std::sqrt(world / rest);
    if (ratio > 2 || ratio < 0.5)
        diagnostics.push_back(scene.warning(
            path + ".rest",
            fmt::format("the cloth starts {:.3g} times as long as its rest shape", ratio),
            fmt::format("are uv in metres? `uv_scale` {:.4g} would fit", ratio * uv_scale)));
}

mesh::RestShape make_rest(const Scene& scene, const std::string& path,
                          const BodyDescription& description, const mesh::TriMesh& mesh,
                          const mesh::Topology& topology, Diagnostics& diagnostics) {
    const RestDescription& rest = description.rest;
    const double scale = description.transform.scale;
    if (rest.from == "uv") {
        if (mesh.face_uv.empty())
            scene.fail(path + ".mesh", "the mesh has no uv coordinates, which are the rest shape",
                       "give uv, or say \"rest\": {\"from\": \"mesh\"}");
        return mesh::rest_from_uv(mesh, topology, rest.uv_scale * scale);
    }
    mesh::TriMesh shape = mesh;
    if (rest.from == "file") {
        shape = read_scene_mesh(scene, path + ".rest.file", rest.file, diagnostics);
        if (shape.face != mesh.face)
            scene.fail(path + ".rest.file",
                       fmt::format("the rest mesh ({} vertices, {} faces) has not the faces of "
                                   "the mesh ({} vertices, {} faces)",
                                   shape.vertex_count(), shape.face_count(), mesh.vertex_count(),
                                   mesh.face_count()),
                       "both must have the same topology in the same order");
    }
    for (Vec3& p : shape.position)
        p *= scale;
    return mesh::rest_from_mesh(shape, topology, rest.warp, rest.keep_angles);
}

void place_cloth(const Scene& scene, const std::string& path, const BodyDescription& description,
                 mesh::TriMesh& mesh) {
    for (Vec3& p : mesh.position)
        p = description.transform.apply(p);
    const auto& pattern = description.initial.displacement;
    if (!pattern) return;
    if (mesh.face_uv.empty())
        scene.fail(path + ".initial.displacement", "needs uv coordinates, the mesh has none");
    const std::vector<Vec2> uv =
        material_coordinates(mesh, description.rest.uv_scale * description.transform.scale);
    for (std::size_t i = 0; i < uv.size(); ++i)
        mesh.position[i] += pattern->amplitude * std::sin(pattern->frequency[0] * uv[i][0]) *
                            std::sin(pattern->frequency[1] * uv[i][1]);
}

}  // namespace

void add_jitter(const JitterDescription& jitter, mesh::TriMesh& mesh) {
    if (jitter.amplitude == 0) return;
    for (std::size_t i = 0; i < mesh.position.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            mesh.position[i][axis] +=
                jitter.amplitude *
                (2 * mesh::counted_random(2 * i + std::size_t(axis / 2), std::uint64_t(axis % 2),
                                          std::uint64_t(jitter.seed)) -
                 1);
}

mesh::TriMesh checked_mesh(const Scene& scene, const std::string& path, mesh::TriMesh mesh,
                           bool repair, std::vector<Index>& vertex_map, Diagnostics& diagnostics) {
    if (repair) {
        mesh::Repaired repaired = mesh::repair(mesh);
        diagnostics.insert(diagnostics.end(), repaired.changes.begin(), repaired.changes.end());
        bool changed = repaired.mesh.vertex_count() != mesh.vertex_count();
        for (std::size_t i = 0; i < repaired.vertex_map.size(); ++i)
            changed = changed || repaired.vertex_map[i] != Index(i);
        if (changed) vertex_map = repaired.vertex_map;
        mesh = std::move(repaired.mesh);
    }
    take_findings(scene, path, mesh::validate(mesh), diagnostics);
    return mesh;
}

BuiltBody build_body(const Scene& scene, std::size_t number, Diagnostics& diagnostics) {
    const BodyDescription& description = scene.description.bodies[number];
    if (description.soft()) return build_soft_body(scene, number, diagnostics);
    const std::string path = fmt::format("bodies[{}]", number);
    BuiltBody built;
    sim::Body& body = built.body;
    body.name = description.name;
    body.color = description.color;
    body.mesh = checked_mesh(scene, path + ".mesh",
                             make_mesh(scene, path + ".mesh", description.mesh, diagnostics),
                             description.repair, built.vertex_map, diagnostics);
    body.topology = mesh::make_topology(body.mesh);
    body.rest = make_rest(scene, path, description, body.mesh, body.topology, diagnostics);
    const MaterialDescription& material = scene.description.materials.at(description.material);
    built.mass = description.mass == "voronoi"
                     ? mesh::voronoi_mass(body.mesh, body.rest, material.density)
                     : mesh::lumped_mass(body.mesh, body.rest, material.density);
    if (description.mass == "consistent")
        built.consistent_mass = mesh::consistent_mass(body.mesh, body.rest, material.density);
    place_cloth(scene, path, description, body.mesh);
    add_jitter(description.initial.jitter, body.mesh);
    check_units(scene, path, description.rest.uv_scale, body, diagnostics);
    return built;
}

}  // namespace taffeta::scene

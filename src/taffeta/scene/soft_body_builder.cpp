#include <fmt/format.h>

#include "taffeta/scene/body_builder.h"
#include "taffeta/scene/mesh_source.h"

namespace taffeta::scene {

namespace {

/// What only cloth has.
void refuse_cloth_keys(const Scene& scene, const std::string& path,
                       const BodyDescription& description) {
    if (description.rest.from != RestDescription().from)
        scene.fail(path + ".rest", "is for cloth", "a soft body is at rest where it starts");
    if (description.initial.displacement)
        scene.fail(path + ".initial.displacement", "is for cloth, which has uv coordinates");
    if (description.initial.jitter.amplitude != 0)
        scene.fail(path + ".initial.jitter", "is for cloth",
                   "a soft body is at rest where it starts");
}

std::vector<Index> boundary_vertices(const mesh::TriMesh& surface) {
    std::vector<char> used(surface.position.size(), 0);
    for (const Triangle& face : surface.face)
        for (const Index vertex : face)
            used[std::size_t(vertex)] = 1;
    std::vector<Index> found;
    for (Index i = 0; i < surface.vertex_count(); ++i)
        if (used[std::size_t(i)]) found.push_back(i);
    return found;
}

}  // namespace

BuiltBody build_soft_body(const Scene& scene, std::size_t number, Diagnostics& diagnostics) {
    const BodyDescription& description = scene.description.bodies[number];
    const std::string path = fmt::format("bodies[{}]", number);
    refuse_cloth_keys(scene, path, description);
    BuiltBody built;
    sim::Body& body = built.body;
    body.name = description.name;
    body.color = description.color;
    body.tets = make_tets(scene, path + ".mesh", description.mesh, diagnostics);
    for (Vec3& p : body.tets.position)
        p = description.transform.apply(p);
    if (description.repair) {
        const Diagnostics turned = mesh::turn_tets(body.tets);
        diagnostics.insert(diagnostics.end(), turned.begin(), turned.end());
    }
    take_findings(scene, path + ".mesh", mesh::check_tets(body.tets), diagnostics);
    if (description.elements == "quadratic" && !body.tets.quadratic())
        body.tets = mesh::quadratic(body.tets);
    body.mesh = mesh::boundary_surface(body.tets);
    body.shown = boundary_vertices(body.mesh);
    body.topology = mesh::make_topology(body.mesh);
    body.rest = mesh::rest_from_mesh(body.mesh, body.topology, Vec3::UnitX(), true);
    const MaterialDescription& material = scene.description.materials.at(description.material);
    built.mass = mesh::lumped_mass(body.tets, material.density);
    if (description.mass == "voronoi")
        scene.fail(path + ".mass", "voronoi is for cloth", "lumped or consistent");
    if (description.mass == "consistent") {
        if (body.tets.quadratic())
            scene.fail(path + ".mass", "quadratic tets have lumped masses only",
                       "`\"elements\": \"linear\"`, or lumped");
        built.consistent_mass = mesh::consistent_mass(body.tets, material.density);
    }
    return built;
}

}  // namespace taffeta::scene

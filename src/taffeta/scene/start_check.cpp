#include "taffeta/scene/start_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/contact/intersections.h"

namespace taffeta::scene {
namespace {

constexpr std::size_t named_pairs = 5;

/// All that may intersect, and what people call it.
struct StartSurfaces {
    contact::Surfaces surfaces;
    std::vector<std::string> name;
    std::vector<Index> first_vertex;
    VecX x;

    explicit StartSurfaces(const sim::World& world) : x(world.state.x) {
        for (const sim::Body& body : world.bodies)
            add(body.name, body.mesh.vertex_count(), body.mesh.face, false);
        for (const contact::PlacedObstacle& obstacle : world.obstacles) {
            if (!obstacle.shape->has_exact_surface()) continue;
            const mesh::TriMesh mesh = obstacle.shape->surface(world.state.t);
            const Eigen::Index before = x.size();
            add(obstacle.name, mesh.vertex_count(), mesh.face, true);
            x.conservativeResize(before + 3 * mesh.vertex_count());
            for (Index v = 0; v < mesh.vertex_count(); ++v)
                x.segment<3>(before + 3 * Eigen::Index(v)) = mesh.position[std::size_t(v)];
        }
    }

    std::string text(const contact::EdgeFace& pair) const {
        const Edge& edge = surfaces.edge[std::size_t(pair.edge)];
        const Triangle& face = surfaces.face[std::size_t(pair.face)];
        const std::size_t a = part_of(edge[0]), b = part_of(face[0]);
        const Index first = first_vertex[a], second = first_vertex[b];
        return fmt::format("edge {}-{} of '{}' and face ({} {} {}) of '{}'", edge[0] - first,
                           edge[1] - first, escaped(name[a]), face[0] - second, face[1] - second,
                           face[2] - second, escaped(name[b]));
    }

  private:
    void add(const std::string& part, Index vertices, const std::vector<Triangle>& faces,
             bool fixed) {
        name.push_back(part);
        first_vertex.push_back(Index(surfaces.part.size()));
        surfaces.add(vertices, faces, fixed);
    }
    std::size_t part_of(Index vertex) const {
        return std::size_t(surfaces.part[std::size_t(vertex)]);
    }
};

/// Obstacles without faces of their own are seen by their distance.
void check_outside(const Scene& scene, const sim::World& world) {
    std::vector<char> pinned(std::size_t(world.vertex_count()), 0);
    for (const sim::Pin& pin : world.pins)
        for (const Index v : pin.vertex)
            pinned[std::size_t(v)] = 1;
    for (const contact::PlacedObstacle& obstacle : world.obstacles) {
        if (obstacle.shape->has_exact_surface()) continue;
        for (const sim::Body& body : world.bodies)
            for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
                const Index v = body.first_vertex + i;
                if (pinned[std::size_t(v)] != 0) continue;
                const Vec3 p = vec3(world.state.x, v);
                const double distance = obstacle.shape->sample(p, world.state.t).distance;
                if (distance > 0) continue;
                scene.fail("contact",
                           fmt::format("vertex {} of '{}' starts {:.3g} m inside '{}', where this "
                                       "model's barrier has no end",
                                       i, escaped(body.name), -distance, escaped(obstacle.name)),
                           "move the body or the obstacle");
            }
    }
}

}  // namespace

void check_start(const Scene& scene, const sim::World& world, const contact::ContactModel& model) {
    if (model.needs_free_start()) check_outside(scene, world);
    if (model.tolerates_intersections()) return;
    const StartSurfaces start(world);
    const std::vector<contact::EdgeFace> pairs =
        contact::find_intersections(start.surfaces, start.x);
    if (pairs.empty()) return;
    std::string text;
    for (std::size_t k = 0; k < std::min(named_pairs, pairs.size()); ++k)
        text += (k == 0 ? "" : ", ") + start.text(pairs[k]);
    if (pairs.size() > named_pairs) text += ", ...";
    scene.fail(
        "contact",
        fmt::format("{} pairs of edges and faces intersect at the start: {}", pairs.size(), text),
        "move them apart, or have it done with `\"start\": \"untangle\"`, or leave these pairs "
        "alone with `\"start\": \"tolerate\"`");
}

}  // namespace taffeta::scene

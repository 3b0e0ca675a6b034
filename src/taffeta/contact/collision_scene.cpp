#include "taffeta/contact/collision_scene.h"

#include "taffeta/mesh/topology.h"

namespace taffeta::contact {

CollisionScene::CollisionScene(const Problem& problem) {
    surface_.face.assign(problem.faces.begin(), problem.faces.end());
    surface_.edge.assign(problem.edges.begin(), problem.edges.end());
    surface_.cloth_vertices = surface_.vertices = Index(problem.mass.size());
    for (const PlacedObstacle& obstacle : problem.obstacles) {
        if (!obstacle.shape->has_exact_surface()) continue;
        const mesh::TriMesh mesh = obstacle.shape->surface(problem.time);
        const Index first = surface_.vertices;
        for (const Triangle& face : mesh.face)
            surface_.face.push_back({face[0] + first, face[1] + first, face[2] + first});
        for (const Edge& edge : mesh::make_topology(mesh).edge)
            surface_.edge.push_back({edge[0] + first, edge[1] + first});
        friction_.insert(friction_.end(), mesh.position.size(), obstacle.friction);
        surface_.vertices += mesh.vertex_count();
    }
}

void CollisionScene::place_obstacles(const Problem& problem, double time, VecX& x) {
    Index next = Index(problem.mass.size());
    for (const PlacedObstacle& obstacle : problem.obstacles) {
        if (!obstacle.shape->has_exact_surface()) continue;
        for (const Vec3& position : obstacle.shape->surface(time).position)
            vec3(x, next++) = position;
    }
}

}  // namespace taffeta::contact

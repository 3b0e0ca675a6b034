#include "taffeta/sim/world.h"

namespace taffeta::sim {

mesh::TriMesh shown_mesh(const Body& body) {
    if (body.shown.empty()) return body.mesh;
    mesh::TriMesh shown;
    shown.source = body.mesh.source;
    std::vector<Index> number(body.mesh.position.size(), -1);
    for (const Index vertex : body.shown) {
        number[std::size_t(vertex)] = shown.vertex_count();
        shown.position.push_back(body.mesh.position[std::size_t(vertex)]);
    }
    for (Triangle face : body.mesh.face) {
        for (Index& corner : face)
            corner = number[std::size_t(corner)];
        shown.face.push_back(face);
    }
    return shown;
}

void shown_part(const Body& body, const VecX& field, VecX& part) {
    if (body.shown.empty()) {
        part = field.segment(3 * Eigen::Index(body.first_vertex),
                             3 * Eigen::Index(body.mesh.vertex_count()));
        return;
    }
    part.resize(3 * Eigen::Index(body.shown.size()));
    for (std::size_t i = 0; i < body.shown.size(); ++i)
        vec3(part, Index(i)) = vec3(field, body.first_vertex + body.shown[i]);
}

}  // namespace taffeta::sim

#include "taffeta/mesh/topology.h"

#include <span>

#include "taffeta/mesh/half_edges.h"

namespace taffeta::mesh {

namespace {

/// The hinge on two half-edges, the one of the lower face first; false when the two faces run the
/// same way along the edge, or are the two sides of one triangle.
bool make_hinge(const std::vector<Triangle>& face, Index first, Index second, Hinge& hinge) {
    const Index v0 = half_edge_from(face, first), v1 = half_edge_to(face, first);
    if (v0 == v1 || half_edge_from(face, second) != v1 || half_edge_to(face, second) != v0)
        return false;
    const Index f0 = half_edge_face(first), f1 = half_edge_face(second);
    const int k0 = int(half_edge_corner(first)), k1 = int(half_edge_corner(second));
    hinge.vertex = {v0, v1, face[std::size_t(f0)][std::size_t(k0)],
                    face[std::size_t(f1)][std::size_t(k1)]};
    hinge.face = {f0, f1};
    hinge.local_edge = {k0, k1};
    return f0 != f1 && hinge.vertex[2] != hinge.vertex[3];
}

}  // namespace

Topology make_topology(const TriMesh& mesh) {
    HalfEdges half_edges = make_half_edges(mesh.face, mesh.vertex_count());
    Topology topology;
    topology.face_edge.resize(mesh.face.size());
    topology.face_hinge.assign(mesh.face.size(), {-1, -1, -1});
    topology.hinge.reserve(half_edges.edge.size());
    for (std::size_t h = 0; h < half_edges.edge_of.size(); ++h)
        topology.face_edge[h / 3][h % 3] = half_edges.edge_of[h];

    std::vector<bool> on_boundary(mesh.position.size(), false);
    for (Index e = 0; e < Index(half_edges.edge.size()); ++e) {
        const std::span<const Index> fan = half_edges.of_edge(e);
        if (fan.size() == 1)
            for (const Index vertex : half_edges.edge[std::size_t(e)])
                on_boundary[std::size_t(vertex)] = true;
        Hinge hinge;
        if (fan.size() != 2 || !make_hinge(mesh.face, fan[0], fan[1], hinge)) continue;
        for (const Index h : fan)
            topology.face_hinge[std::size_t(h / 3)][std::size_t(h % 3)] =
                Index(topology.hinge.size());
        topology.hinge.push_back(hinge);
    }
    for (std::size_t v = 0; v < on_boundary.size(); ++v)
        if (on_boundary[v]) topology.boundary_vertex.push_back(Index(v));
    topology.edge = std::move(half_edges.edge);
    return topology;
}

}  // namespace taffeta::mesh

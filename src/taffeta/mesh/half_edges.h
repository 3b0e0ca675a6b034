#pragma once

#include <span>
#include <vector>

#include "taffeta/mesh/tri_mesh.h"

/// The half-edges of a mesh, grouped by edge: what topology, flips and the mesh doctor start from.
///
/// Half-edge h = 3 f + k is the edge opposite corner k of face f, from corner k+1 to corner k+2.
/// Edges are numbered in the order in which the faces first meet them, and the half-edges of an
/// edge ascend. A bucket sort by the smaller vertex, then a sort inside each bucket: n log n also
/// for a hub with a million spokes, where a list of edges per vertex would be quadratic.
namespace taffeta::mesh {

struct HalfEdges {
    std::vector<Edge> edge;        ///< #E, the smaller vertex first
    std::vector<Index> start;      ///< #E + 1, into `half_edge`
    std::vector<Index> half_edge;  ///< 3 #F, grouped by edge
    std::vector<Index> edge_of;    ///< 3 #F, the edge of each half-edge

    std::span<const Index> of_edge(Index e) const {
        return {half_edge.data() + start[std::size_t(e)],
                half_edge.data() + start[std::size_t(e) + 1]};
    }
};

HalfEdges make_half_edges(const std::vector<Triangle>& face, Index vertex_count);

inline Index next_corner(Index k) {
    return k == 2 ? 0 : k + 1;
}
inline Index half_edge_face(Index h) {
    return h / 3;
}
inline Index half_edge_corner(Index h) {
    return h % 3;
}
inline Index half_edge_from(const std::vector<Triangle>& face, Index h) {
    return face[std::size_t(h / 3)][std::size_t(next_corner(h % 3))];
}
inline Index half_edge_to(const std::vector<Triangle>& face, Index h) {
    return face[std::size_t(h / 3)][std::size_t(next_corner(next_corner(h % 3)))];
}

}  // namespace taffeta::mesh

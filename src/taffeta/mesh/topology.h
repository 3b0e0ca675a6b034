#pragma once

#include <vector>

#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::mesh {

/// Vertices (0, 1, 2, 3): edge 0->1 as it runs in the face that holds vertex 2, which is the face
/// with the lower index; vertex 3 is opposite in the other face.
struct Hinge {
    std::array<Index, 4> vertex;
    std::array<Index, 2> face;      ///< the face holding vertex 2, the face holding vertex 3
    std::array<int, 2> local_edge;  ///< the edge's number in each face: edge k is opposite corner k
};

/// Edges, hinges and boundary of a triangle mesh, in a fixed order that follows the faces.
struct Topology {
    std::vector<Edge> edge;                       ///< #E, each with its smaller vertex first
    std::vector<std::array<Index, 3>> face_edge;  ///< #F, edge opposite corner k
    std::vector<Hinge> hinge;                     ///< interior manifold edges with consistent faces
    std::vector<std::array<Index, 3>>
        face_hinge;                      ///< #F, hinge on the edge opposite corner k, or -1
    std::vector<Index> boundary_vertex;  ///< ascending
};

/// Edges with more than two faces, or whose two faces run the same way along it, get no hinge
/// (validate() reports them).
Topology make_topology(const TriMesh& mesh);

}  // namespace taffeta::mesh

#pragma once

#include <vector>

#include "taffeta/mesh/half_edges.h"

namespace taffeta::mesh {

/// A vertex that lies inside a boundary edge without belonging to it: the mesh looks closed there
/// and is not.
struct TJunction {
    Index vertex;
    Edge edge;
};

/// Boundary vertices against boundary edges through a tree of points, n log n for any mix of edge
/// lengths. On the edge means within 1e-5 of its length plus the rounding of a text file (5e-7 of
/// the size of the mesh), and away from its ends. Stops at `limit` findings: on a soup of edges
/// along one line their number would grow with the square.
std::vector<TJunction> find_t_junctions(const std::vector<Vec3>& position,
                                        const HalfEdges& half_edges, std::size_t limit);

}  // namespace taffeta::mesh

#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "taffeta/base/error.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::mesh {

using Tet = std::array<Index, 4>;

/// Edges of a tet, each by its two corners: the order of its middle vertices.
inline constexpr int tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/// Faces of a tet of positive volume, each seen counter-clockwise from outside.
inline constexpr int tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

/// A solid made of tets, linear (four vertices each) or quadratic (ten: also the middles of the
/// edges). Vertex order is never changed.
struct TetMesh {
    std::vector<Vec3> position;                ///< #V, m; of a body of a world: its rest shape
    std::vector<Tet> tet;                      ///< #T corners, det[x1-x0, x2-x0, x3-x0] > 0
    std::vector<std::array<Index, 6>> middle;  ///< #T in the order of tet_edge, or empty
    std::map<std::string, std::vector<Index>> group;  ///< vertices of each named group

    std::string source;         ///< the file it came from, for messages
    std::vector<int> tet_line;  ///< line of every tet in it, or empty

    Index vertex_count() const { return Index(position.size()); }
    Index tet_count() const { return Index(tet.size()); }
    bool quadratic() const { return !middle.empty(); }
};

/// A box of nx x ny x nz cells with one corner at the origin, x fastest in the order of vertices.
/// Each cell is cut into the six tets of Kuhn: one a path along its edges from its lowest corner
/// to its highest. Groups x_min, x_max, ..., z_max are the vertices of its six sides.
TetMesh tet_box(const std::array<Index, 3>& cells, const Vec3& size);

/// The same solid with the middle of every edge as a vertex after the corners, and in every group
/// that has both ends of the edge.
TetMesh quadratic(const TetMesh& linear);

/// Volume of one tet, m^3; negative when it is inside out.
double tet_volume(const TetMesh& mesh, Index tet);

/// What is wrong with a mesh: vertices out of range or not finite, tets with a vertex twice, without
/// volume or inside out. All findings are errors, each kind with its first element and their number.
Diagnostics check_tets(const TetMesh& mesh);

/// Turns tets that are inside out and says how many.
Diagnostics turn_tets(TetMesh& mesh);

/// The boundary: faces that belong to one tet, outward, in the order of the tets; a face of a
/// quadratic tet is four triangles. It has all vertices of the solid in their order, also those that
/// no face touches, and its groups.
TriMesh boundary_surface(const TetMesh& mesh);

/// Mass of each vertex, kg, for a density in kg/m^3. A corner of a linear tet has a fourth of it; of a
/// quadratic tet a corner has 1/36 and a middle 4/27, which is the diagonal of the consistent mass
/// scaled to the right sum: plain row sums would be negative at the corners. [HintonRockZienkiewicz76]
std::vector<double> lumped_mass(const TetMesh& mesh, double density);

}  // namespace taffeta::mesh

#pragma once

#include <vector>

#include "taffeta/mesh/tri_mesh.h"

/// Single-face and pair-of-face findings, shared by validate() and repair(). All lists ascend.
namespace taffeta::mesh {

/// Faces that name a vertex outside the mesh.
std::vector<Index> faces_out_of_range(const TriMesh& mesh);

/// Faces with the same vertex twice.
std::vector<Index> faces_with_repeated_vertex(const std::vector<Triangle>& face);

/// Faces with the same three vertices as an earlier one, whichever way round.
std::vector<Index> duplicate_faces(const std::vector<Triangle>& face);

/// Longest edge over the height on it; infinite where the area is rounding (a height below 1e-12
/// of the edge).
double aspect(const Vec3& a, const Vec3& b, const Vec3& c);

/// #F aspects.
std::vector<double> face_aspects(const std::vector<Vec3>& position,
                                 const std::vector<Triangle>& face);

}  // namespace taffeta::mesh

#pragma once

#include <vector>

#include "taffeta/mesh/rest_shape.h"
#include "taffeta/mesh/tet_mesh.h"

namespace taffeta::mesh {

/// An entry of a symmetric mass matrix (times the identity of space), i <= j.
struct MassEntry {
    Index i, j;
    double mass;  ///< kg
};

/// The consistent masses of linear elements: rho A/12 (1 + delta_ij) between the corners of a triangle,
/// rho V/20 (1 + delta_ij) between those of a tet. Sorted by (i, j), each pair once. Their row sums are
/// the barycentric lumped masses. Consistent masses raise the highest frequencies where lumped ones lower them.
std::vector<MassEntry> consistent_mass(const TriMesh& mesh, const RestShape& rest, double density);
/// Throws bad input for quadratic tets.
std::vector<MassEntry> consistent_mass(const TetMesh& mesh, double density);

/// Lumped masses by the parts of a triangle that are nearest to its corners (mixed Voronoi areas): a corner
/// has (|e_j|^2 cot_j + |e_k|^2 cot_k)/8 of a triangle without obtuse angle, and half of an obtuse one at its
/// obtuse corner, a quarter at the others.                                              [Meyer03] section 3.3
std::vector<double> voronoi_mass(const TriMesh& mesh, const RestShape& rest, double density);

}  // namespace taffeta::mesh

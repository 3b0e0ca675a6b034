#pragma once

#include <span>
#include <vector>

#include "taffeta/mesh/tet_mesh.h"

namespace taffeta::energy {

/// Elements sorted along a Morton curve through their centres, ties by number.
///
/// Consecutive elements then form compact patches whatever the order of the file: a cluster of them
/// shares few vertices with others (few colours), and its blocks stay in the cache. Rows of a grid
/// would touch every block row twice.
std::vector<Index> spatial_order(std::span<const Vec3> centers);

/// The faces of a mesh in that order, by their centroids.
std::vector<Index> face_order(const mesh::TriMesh& mesh);
/// The tets of a mesh in that order.
std::vector<Index> tet_order(const mesh::TetMesh& mesh);

}  // namespace taffeta::energy

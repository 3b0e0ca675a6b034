#pragma once

#include <string>
#include <vector>

#include "taffeta/mesh/tri_mesh.h"

/// Words for messages about a mesh: where an element stands and which ones are meant.
namespace taffeta::mesh {

/// `file:line` of a face, or `file`, or "mesh" for one without a file.
std::string face_place(const TriMesh& mesh, Index face);

/// The same for a vertex.
std::string vertex_place(const TriMesh& mesh, Index vertex);

/// `file`, or "mesh".
std::string mesh_place(const TriMesh& mesh);

/// The first few of a list: "7", "7, 9 and 12", "7, 9, 12, ... (41 in all)".
std::string first_of(const std::vector<Index>& elements);

/// "1 face", "3 faces"
std::string counted(std::size_t count, const char* one, const char* many);

/// "(0.5, 0, -1)"
std::string point_text(const Vec3& point);

}  // namespace taffeta::mesh

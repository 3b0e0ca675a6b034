#pragma once

#include <vector>

#include "taffeta/mesh/validate.h"

/// The parts of validate(), each near linear in the size of the mesh. All but the first need
/// indices in range and finite coordinates.
namespace taffeta::mesh {

/// Coordinates: finite, in range, likely units, near the origin. False when nothing else can be
/// measured.
bool check_numbers(const TriMesh& mesh, Diagnostics& found);

/// Single faces: repeated vertex, duplicate, zero-length edge, no area, sliver. Returns the faces
/// that have an edge structure (no repeated vertex, no duplicate).
std::vector<Index> check_faces(const TriMesh& mesh, const ValidateOptions& options,
                               Diagnostics& found);

/// Vertices: coinciding, in no face.
void check_points(const TriMesh& mesh, const ValidateOptions& options, Diagnostics& found);

/// How the `kept` faces hang together: edges with more than two faces, vertices that only touch,
/// winding, parts, openness, T-junctions.
void check_topology(const TriMesh& mesh, const std::vector<Index>& kept, Diagnostics& found);

/// uv: finite, without flat or turned faces, in metres.
void check_uv(const TriMesh& mesh, Diagnostics& found);

}  // namespace taffeta::mesh

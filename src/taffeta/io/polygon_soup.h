#pragma once

#include <vector>

#include "taffeta/base/error.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::io {

/// The polygons of a file as they stand there; the corners of polygon p are start[p] to
/// start[p + 1].
struct PolygonSoup {
    std::vector<Index> corner;     ///< vertices
    std::vector<Index> corner_uv;  ///< as many, or -1 for a corner without
    std::vector<Index> start = {0};
    std::vector<int> line;  ///< of each polygon; empty in a binary file

    Index count() const { return Index(start.size()) - 1; }
};

/// Fills `face`, `face_uv` and `face_line` of a mesh that has its positions and uv. Throws bad
/// input for a vertex or uv that does not exist; says in `diagnostics` how many polygons were cut.
/// Returns #F the polygon that each triangle came from.
std::vector<Index> add_triangles(const PolygonSoup& soup, mesh::TriMesh& mesh,
                                 Diagnostics& diagnostics);

}  // namespace taffeta::io

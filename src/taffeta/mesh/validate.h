#pragma once

#include "taffeta/base/error.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::mesh {

struct ValidateOptions {
    bool strict = false;         ///< warnings become errors
    double sliver_aspect = 1e4;  ///< longest edge over height
    double weld_tolerance = 0;   ///< m; 0: report duplicates, weld nothing
};

/// The mesh doctor: every finding names its elements (1-based line when the file is known, 0-based
/// index, coordinates). Errors are findings with Severity::error; nothing is thrown.
Diagnostics validate(const TriMesh& mesh, const ValidateOptions& options = {});

struct Repaired {
    TriMesh mesh;
    std::vector<Index> vertex_map;  ///< input vertex -> output vertex, -1 when dropped
    Diagnostics changes;            ///< what was done, with counts and first element
};

/// Drops degenerate and duplicate faces and unreferenced vertices, makes winding consistent, welds
/// when asked. Never moves a vertex.
Repaired repair(const TriMesh& mesh, const ValidateOptions& options = {});

}  // namespace taffeta::mesh

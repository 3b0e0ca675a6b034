#pragma once

#include "taffeta/base/error.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::mesh {

struct ValidateOptions {
    bool strict = false;         ///< warnings become errors
    double sliver_aspect = 1e4;  ///< longest edge over height
    double weld_tolerance = 0;   ///< m; 0: report duplicates, weld nothing
};

/// Coordinates beyond this many metres are an error: contact works in single-precision boxes.
constexpr double largest_coordinate = 1e6;
/// More vertices or faces are an error: half-edges are counted in 32 bits.
constexpr std::int64_t largest_count = std::int64_t(1) << 29;

/// The mesh doctor: every finding names its elements (1-based line when the file is known, 0-based
/// index, coordinates). Errors are findings with Severity::error; nothing is thrown.
Diagnostics validate(const TriMesh& mesh, const ValidateOptions& options = {});

/// Median of length in space over length in uv; 0 without usable uv. Far from 1, uv are not metres.
double uv_ratio(const TriMesh& mesh);

struct Repaired {
    TriMesh mesh;
    std::vector<Index> vertex_map;  ///< input vertex -> output vertex, -1 when dropped
    Diagnostics changes;            ///< what was done, with counts and first element
};

/// Drops degenerate and duplicate faces and unreferenced vertices, makes winding consistent, turns
/// closed parts that are inside out, welds when asked. Never moves a vertex. Throws bad input when
/// a face names a vertex that does not exist.
Repaired repair(const TriMesh& mesh, const ValidateOptions& options = {});

}  // namespace taffeta::mesh

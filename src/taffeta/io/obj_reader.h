#pragma once

#include <string>
#include <string_view>

#include "taffeta/base/error.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::io {

/// Wavefront OBJ, as programs write it rather than as the manual has it.
///
/// Read: v (also with w = 1 or colours), vt, f and fo with any number of corners and any mix of
/// v, v/vt, v//vn, v/vt/vn, l (loose edges), g and o (vertex groups); indices from 1, or from the
/// end when negative, counted at their line. Known but not needed (vn, materials, smoothing) is
/// skipped; free-form curves, `call` and `csh` are skipped with a warning and never run; unknown
/// keywords are one warning in all. Everything else is bad input with `file:line`.
mesh::TriMesh read_obj(std::string_view bytes, const std::string& file, Diagnostics& diagnostics);

}  // namespace taffeta::io

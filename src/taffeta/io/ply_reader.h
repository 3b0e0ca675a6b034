#pragma once

#include <string>
#include <string_view>

#include "taffeta/base/error.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::io {

/// Stanford PLY, ASCII or binary of either byte order.
///
/// Read: vertex x y z and uv (u v, s t, texture_u texture_v, texture_s texture_t), face lists
/// vertex_indices or vertex_index of any length, and a face's own texcoord list. Other elements and
/// properties are skipped, in any order. Every count is held against the bytes that are left before
/// memory is taken for it. Triangle strips are bad input.
mesh::TriMesh read_ply(std::string_view bytes, const std::string& file, Diagnostics& diagnostics);

}  // namespace taffeta::io

#pragma once

#include <filesystem>

#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::io {

/// Writes a mesh as OBJ, atomically; reading it again gives the same bits.
///
/// Groups are written as `g` lines before faces whose three vertices all belong, which keeps every
/// group that came from faces; blanks in their names become underscores.
void write_obj(const std::filesystem::path& path, const mesh::TriMesh& mesh);

}  // namespace taffeta::io

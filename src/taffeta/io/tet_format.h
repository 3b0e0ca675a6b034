#pragma once

#include <filesystem>
#include <string_view>

#include "taffeta/base/registry.h"
#include "taffeta/mesh/tet_mesh.h"

namespace taffeta::io {

/// A file format of solids: bytes -> TetMesh.
///
/// Vertices are those that a tet uses, in the order of the file; points of the geometry and nodes of
/// other elements are left out. Only the corners of quadratic tets are taken, and that is reported.
class TetFormat {
  public:
    virtual ~TetFormat() = default;

    /// Errors carry file:line and the value; what was left out goes to `diagnostics`.
    virtual mesh::TetMesh read(const std::filesystem::path& file,
                               Diagnostics& diagnostics) const = 0;
};

struct TetFormatProperties {
    std::string_view extension;  ///< with the dot: ".msh"
};

using TetFormatEntry = Entry<TetFormat, TetFormatProperties>;
Registry<TetFormatEntry> tet_formats();

/// By the file's extension; bad input with the known ones otherwise.
mesh::TetMesh read_tets(const std::filesystem::path& file, Diagnostics& diagnostics);

}  // namespace taffeta::io

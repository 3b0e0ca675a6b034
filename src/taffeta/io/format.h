#pragma once

#include <filesystem>
#include <string_view>

#include "taffeta/base/registry.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::io {

/// A mesh file format: bytes <-> TriMesh.
class MeshFormat {
  public:
    virtual ~MeshFormat() = default;

    /// Reads a whole file. Errors carry file:line and the value. Findings that do not stop the
    /// reading (unknown keywords, polygons triangulated) go to `diagnostics`.
    virtual mesh::TriMesh read(const std::filesystem::path& file,
                               Diagnostics& diagnostics) const = 0;
    /// Writes atomically (temporary file, then rename). Text is locale-free, round-trip exact.
    virtual void write(const std::filesystem::path& file, const mesh::TriMesh& mesh) const = 0;
};

struct FormatProperties {
    std::string_view extension;  ///< with the dot: ".obj"
    bool keeps_uv = true;
    double precision = 0;  ///< relative rounding of a round trip; 0: exact
};

using FormatEntry = Entry<MeshFormat, FormatProperties>;
Registry<FormatEntry> mesh_formats();

/// By the file's extension; bad input with the known ones otherwise.
mesh::TriMesh read_mesh(const std::filesystem::path& file, Diagnostics& diagnostics);
void write_mesh(const std::filesystem::path& file, const mesh::TriMesh& mesh);

}  // namespace taffeta::io

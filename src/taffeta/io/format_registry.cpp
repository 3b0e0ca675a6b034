#include <fmt/format.h>

#include <algorithm>

#include "taffeta/io/format.h"

namespace taffeta::io {

#define TAFFETA_ENTRY(key) extern const FormatEntry entry_##key;
#include "taffeta/io/formats.inc"
#undef TAFFETA_ENTRY

Registry<FormatEntry> mesh_formats() {
#define TAFFETA_ENTRY(key) &entry_##key,
    static constexpr const FormatEntry* table[] = {
#include "taffeta/io/formats.inc"
    };
#undef TAFFETA_ENTRY
    return table;
}

namespace {

std::unique_ptr<MeshFormat> format_of(const std::filesystem::path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
        return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : char(c);
    });
    std::vector<std::string> known;
    for (const FormatEntry* entry : mesh_formats()) {
        if (entry->properties.extension == extension) return entry->make(Settings::object());
        known.emplace_back(entry->properties.extension);
    }
    fail_input(escaped(file.string()),
               extension.empty() ? "the file name has no extension"
                                 : fmt::format("unknown mesh format '{}'", escaped(extension)),
               fmt::format("known: {}", joined(known)));
}

}  // namespace

mesh::TriMesh read_mesh(const std::filesystem::path& file, Diagnostics& diagnostics) {
    return format_of(file)->read(file, diagnostics);
}

void write_mesh(const std::filesystem::path& file, const mesh::TriMesh& mesh) {
    format_of(file)->write(file, mesh);
}

}  // namespace taffeta::io

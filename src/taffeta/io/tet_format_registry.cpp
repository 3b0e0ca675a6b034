#include <fmt/format.h>

#include <algorithm>

#include "taffeta/io/tet_format.h"

namespace taffeta::io {

#define TAFFETA_ENTRY(key) extern const TetFormatEntry entry_##key;
#include "taffeta/io/tet_formats.inc"
#undef TAFFETA_ENTRY

Registry<TetFormatEntry> tet_formats() {
#define TAFFETA_ENTRY(key) &entry_##key,
    static constexpr const TetFormatEntry* table[] = {
#include "taffeta/io/tet_formats.inc"
    };
#undef TAFFETA_ENTRY
    return table;
}

mesh::TetMesh read_tets(const std::filesystem::path& file, Diagnostics& diagnostics) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char c) {
        return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : char(c);
    });
    std::vector<std::string> known;
    for (const TetFormatEntry* entry : tet_formats()) {
        if (entry->properties.extension == extension)
            return entry->make(Settings::object())->read(file, diagnostics);
        known.emplace_back(entry->properties.extension);
    }
    fail_input(escaped(file.string()),
               extension.empty() ? "the file name has no extension"
                                 : fmt::format("unknown format of tets '{}'", escaped(extension)),
               fmt::format("known: {}", joined(known)));
}

}  // namespace taffeta::io

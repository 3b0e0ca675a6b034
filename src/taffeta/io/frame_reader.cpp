#include "taffeta/io/frame_reader.h"

#include <fmt/format.h>

namespace taffeta::io {

std::unique_ptr<FrameReader> FrameReader::open(const std::filesystem::path& path, Index stride) {
    const std::string extension = path.extension().string();
    if (extension == ".pc2") return open_pc2(path);
    if (extension == ".mdd") return open_mdd(path);
    if (extension == ".usda" || extension == ".vtu" || extension == ".pvd")
        fail_input(escaped(path.string()),
                   fmt::format("frames are written as '{}' but not read", extension),
                   "read .pc2, .mdd or a sequence of .obj or .ply files");
    return open_sequence(path, stride);
}

}  // namespace taffeta::io

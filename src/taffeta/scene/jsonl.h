#pragma once

#include <cstdint>
#include <filesystem>

namespace taffeta::scene {

/// Bytes of the first `lines` whole lines of a file; fewer when it has fewer, 0 when it is missing.
std::uint64_t bytes_of_lines(const std::filesystem::path& path, long lines);

}  // namespace taffeta::scene

#include "taffeta/scene/jsonl.h"

#include <fstream>
#include <string>

namespace taffeta::scene {

std::uint64_t bytes_of_lines(const std::filesystem::path& path, long lines) {
    std::ifstream file(path, std::ios::binary);
    std::uint64_t bytes = 0;
    std::string line;
    // A line that ends with the file and not with a newline was cut off by a crash.
    for (long i = 0; i < lines && std::getline(file, line) && !file.eof(); ++i)
        bytes += line.size() + 1;
    return bytes;
}

}  // namespace taffeta::scene

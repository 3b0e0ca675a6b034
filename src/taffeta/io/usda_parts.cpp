#include "taffeta/io/usda_parts.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string>

#include "taffeta/base/error.h"
#include "taffeta/base/types.h"
#include "taffeta/io/frame_files.h"

namespace taffeta::io {

namespace {

namespace fs = std::filesystem;

/// Bytes of the first `lines` lines; nothing when the file has fewer.
std::optional<std::uint64_t> length_of_lines(const fs::path& path, Index lines) {
    std::uint64_t offset = 0, length = 0;
    copy_bytes(path, 0, file_size_or_zero(path), [&](const char* data, std::size_t size) {
        for (std::size_t i = 0; i < size && lines > 0; ++i)
            if (data[i] == '\n') {
                --lines;
                length = offset + i + 1;
            }
        offset += size;
    });
    if (lines > 0) return std::nullopt;
    return length;
}

std::string_view trimmed(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

/// Copies the first `frames` sample lines of one attribute; false when the attribute or some of
/// its frames are not there.
bool copy_samples(const fs::path& finished, const std::string& opening, Index frames,
                  GrowingFile& target) {
    std::ifstream file(finished, std::ios::binary);
    std::string line;
    while (std::getline(file, line) && trimmed(line) != opening) {
    }
    for (Index frame = 1; frame <= frames; ++frame) {
        if (!std::getline(file, line) || !trimmed(line).starts_with(fmt::format("{}: [", frame)))
            return false;
        target.append(line += '\n');
    }
    return true;
}

}  // namespace

std::string UsdaParts::opening(Attribute attribute) {
    constexpr std::array<const char*, attribute_count> declared{
        "point3f[] points", "float3[] extent", "vector3f[] velocities"};
    return fmt::format("{}.timeSamples = {{", declared[attribute]);
}

fs::path UsdaParts::part(Attribute attribute) const {
    constexpr std::array<const char*, attribute_count> name{"points", "extent", "velocities"};
    return folder_ / name[attribute];
}

void UsdaParts::open(const fs::path& finished, Index frames_kept) {
    folder_ = finished;
    folder_ += ".parts";
    if (frames_kept == 0) remove_if_present(folder_);
    std::error_code code;
    fs::create_directories(folder_, code);
    if (code)
        fail_io(escaped(folder_.string()),
                fmt::format("cannot make the folder: {}", code.message()));

    // Points are restored last and removed first: where they are complete, nothing was lost.
    const auto kept = [&](Attribute attribute) -> std::optional<std::uint64_t> {
        if (!fs::exists(part(attribute))) return std::nullopt;
        return length_of_lines(part(attribute), frames_kept);
    };
    if (frames_kept > 0 && (!kept(points) || !kept(extent))) restore(finished, frames_kept);
    for (const Attribute attribute : {points, extent, velocities})
        files_[attribute].open(part(attribute), kept(attribute).value_or(0));
}

void UsdaParts::sync() {
    for (GrowingFile& file : files_)
        file.sync();
}

void UsdaParts::close_and_remove() {
    for (GrowingFile& file : files_)
        file.close();
    remove_if_present(part(points));
    remove_if_present(folder_);
}

void UsdaParts::restore(const fs::path& finished, Index frames) {
    for (const Attribute attribute : {velocities, extent, points}) {
        GrowingFile target;
        target.open(part(attribute), 0);
        if (copy_samples(finished, opening(attribute), frames, target)) {
            target.sync();
            continue;
        }
        if (attribute == velocities && target.size() == 0) continue;
        fail_io(escaped(finished.string()),
                fmt::format("holds fewer than {} frames: cannot continue", frames),
                "start the run anew");
    }
}

}  // namespace taffeta::io

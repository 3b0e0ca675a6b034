#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

/// Files that a scene names. A scene is untrusted data: it may read regular files of its own
/// folder, and others only when the caller allows it.
namespace taffeta::scene {

struct ReferenceRules {
    std::filesystem::path folder;  ///< of the scene; empty: the current folder
    bool allow_outside = false;
};

/// The path of the file that a scene calls `name` at its key `path`. Refused as bad input at
/// `where`: URLs, network and device names, absolute paths, `..` and links that lead out of the
/// folder, missing files, folders, devices and pipes.
std::filesystem::path resolve_reference(const std::string& name, const ReferenceRules& rules,
                                        const std::string& where, const std::string& path);

/// The bytes of a regular file. Bad input for folders, devices, pipes, empty files and more than
/// `limit` bytes; an io error where reading fails.
std::string read_regular_file(const std::filesystem::path& file, std::size_t limit);

}  // namespace taffeta::scene

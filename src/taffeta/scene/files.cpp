#include "taffeta/scene/files.h"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <system_error>

#include "taffeta/base/error.h"
#include "taffeta/base/settings.h"

namespace taffeta::scene {

namespace fs = std::filesystem;

namespace {

/// Where a file is named: a place in a text and the key there.
struct Place {
    std::string where, prefix;

    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        fail_input(where, prefix + what, hint);
    }
    [[noreturn]] void fail_reading(const std::string& what, const std::string& hint = {}) const {
        fail_io(where, prefix + what, hint);
    }
};

const char* allow_hint = "move it into the scene's folder, or allow it with --allow-outside";

/// Whether `path` lies in `folder` (both canonical).
bool lies_in(const fs::path& path, const fs::path& folder) {
    auto part = path.begin();
    for (const fs::path& expected : folder) {
        if (expected.empty()) continue;
        if (part == path.end() || *part != expected) return false;
        ++part;
    }
    return true;
}

/// What a path is when it is no regular file, in words.
const char* kind_word(fs::file_type type) {
    switch (type) {
        case fs::file_type::directory:
            return "a folder";
        case fs::file_type::character:
        case fs::file_type::block:
            return "a device";
        case fs::file_type::fifo:
            return "a pipe";
        case fs::file_type::socket:
            return "a socket";
        default:
            return "no regular file";
    }
}

std::string nearest_file(const fs::path& missing) {
    std::vector<std::string> names;
    std::error_code ignored;
    const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        names.push_back(entry.path().filename().string());
        if (names.size() > 1000) break;
    }
    const std::string near = nearest(missing.filename().string(), names);
    return near.empty() ? "" : fmt::format("did you mean '{}'?", escaped(near));
}

void require_regular(const fs::path& file, const Place& place, const std::string& name) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found)
        place.fail(fmt::format("there is no file '{}'", escaped(name)), nearest_file(file));
    if (error) place.fail_reading(fmt::format("'{}': {}", escaped(name), error.message()));
    if (status.type() != fs::file_type::regular)
        place.fail(fmt::format("'{}' is {}", escaped(name), kind_word(status.type())),
                   "a regular file is needed");
}

void refuse_foreign_name(const std::string& name, const Place& place) {
    if (name.empty()) place.fail("the file name is empty");
    if (name.find("://") != std::string::npos)
        place.fail(fmt::format("'{}' is a URL", escaped(name)),
                   "download it first: scenes read local files only");
    const bool drive =
        name.size() > 1 && std::isalpha(static_cast<unsigned char>(name[0])) && name[1] == ':';
    if (name.rfind("//", 0) == 0 || name.find('\\') != std::string::npos || drive)
        place.fail(fmt::format("'{}' is a network or Windows path", escaped(name)),
                   "write a relative path with '/'");
    for (const char c : name)
        if (static_cast<unsigned char>(c) < 0x20)
            place.fail(fmt::format("'{}' has a control character in its name", escaped(name)));
}

}  // namespace

fs::path resolve_reference(const std::string& name, const ReferenceRules& rules,
                           const std::string& where, const std::string& path) {
    const Place place{where, path.empty() ? path : path + ": "};
    refuse_foreign_name(name, place);
    const fs::path folder = rules.folder.empty() ? fs::path(".") : rules.folder;
    const fs::path given(name);
    if (!rules.allow_outside) {
        if (given.is_absolute())
            place.fail(fmt::format("'{}' is an absolute path", escaped(name)), allow_hint);
        if (given.lexically_normal().begin()->string() == "..")
            place.fail(fmt::format("'{}' leads out of the scene's folder", escaped(name)),
                       allow_hint);
    }
    const fs::path joined = folder / given;
    require_regular(joined, place, name);
    std::error_code error;
    const fs::path real = fs::canonical(joined, error);
    if (error) place.fail_reading(fmt::format("'{}': {}", escaped(name), error.message()));
    if (!rules.allow_outside && !lies_in(real, fs::canonical(folder, error)))
        place.fail(
            fmt::format("'{}' is a link that leads out of the scene's folder", escaped(name)),
            allow_hint);
    return joined;
}

std::string read_regular_file(const fs::path& file, std::size_t limit) {
    const Place place{escaped(file.string()), {}};
    require_regular(file, place, file.string());
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (error) place.fail_reading(error.message());
    if (size == 0) place.fail("the file is empty");
    if (size > limit) place.fail(fmt::format("{} bytes is more than {}", size, limit));
    std::ifstream stream(file, std::ios::binary);
    std::string bytes(std::size_t(size), '\0');
    stream.read(bytes.data(), std::streamsize(size));
    if (!stream || stream.gcount() != std::streamsize(size))
        place.fail_reading("cannot be read", "is it yours to read?");
    return bytes;
}

}  // namespace taffeta::scene

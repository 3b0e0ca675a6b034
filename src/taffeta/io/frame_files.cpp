#include "taffeta/io/frame_files.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "taffeta/base/error.h"

namespace taffeta::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view separators = "._-";  ///< before a frame number

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
    for (const char c : text)
        if (!is_digit(c)) return false;
    return !text.empty();
}

bool all_digits_or_empty(std::string_view text) {
    return text.empty() || all_digits(text);
}

/// `####`, `*`, `$F4` or `%04d`: what stands for the number in a pattern of frames.
bool is_frame_mark(std::string_view text) {
    if (text == "*" || text.find_first_not_of('#') == std::string_view::npos) return true;
    if (text.starts_with("$F")) return all_digits_or_empty(text.substr(2));
    return text.size() > 1 && text.front() == '%' && text.back() == 'd' &&
           all_digits_or_empty(text.substr(1, text.size() - 2));
}

/// The name that an atomic write would have given: `a.obj` of `a.obj.123-4.tmp`, else empty.
std::string target_of_temporary(std::string_view name) {
    constexpr std::string_view suffix = ".tmp";
    if (!name.ends_with(suffix)) return {};
    name.remove_suffix(suffix.size());
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view mark = name.substr(dot + 1);
    const std::size_t dash = mark.find('-');
    if (dash == std::string_view::npos) return {};
    if (!all_digits(mark.substr(0, dash)) || !all_digits(mark.substr(dash + 1))) return {};
    return std::string(name.substr(0, dot));
}

std::vector<fs::path> files_of(const fs::path& directory) {
    std::error_code code;
    std::vector<fs::path> files;
    for (fs::directory_iterator entry(directory, code), end; !code && entry != end;
         entry.increment(code))
        files.push_back(entry->path());
    if (code) fail_io(escaped(directory.string()), fmt::format("cannot list: {}", code.message()));
    return files;
}

}  // namespace

fs::path series_file(const FrameSeries& series, std::string_view extension) {
    return series.directory / fmt::format("{}{}", series.name, extension);
}

fs::path numbered_frame(const FrameSeries& series, Index frame, std::string_view extension) {
    return series.directory / fmt::format("{}.{:04}{}", series.name, frame, extension);
}

NumberedName numbered_name(const fs::path& file) {
    const std::string stem = file.stem().string();
    NumberedName name{stem, -1, file.extension().string()};
    std::size_t begin = stem.size();
    while (begin > 0 && is_digit(stem[begin - 1]))
        --begin;
    const bool stands_alone =
        begin == 0 || separators.find(stem[begin - 1]) != std::string_view::npos;
    Index frame = 0;
    const auto [end, code] = std::from_chars(stem.data() + begin, stem.data() + stem.size(), frame);
    if (!stands_alone || code != std::errc() || end != stem.data() + stem.size()) return name;
    name.prefix = stem.substr(0, begin);
    name.frame = frame;
    return name;
}

std::optional<std::string> pattern_prefix(const fs::path& file) {
    const std::string stem = file.stem().string();
    for (std::size_t begin = 0; begin < stem.size(); ++begin)
        if (is_frame_mark(std::string_view(stem).substr(begin))) return stem.substr(0, begin);
    return std::nullopt;
}

std::string series_name(const fs::path& file) {
    const NumberedName numbered = numbered_name(file);
    const std::optional<std::string> marked = pattern_prefix(file);
    if (!marked && numbered.frame < 0) return numbered.prefix;
    std::string name = marked ? *marked : numbered.prefix;
    if (!name.empty() && separators.find(name.back()) != std::string_view::npos) name.pop_back();
    return name;
}

void prepare_directory(const FrameSeries& series) {
    const std::string& name = series.name;
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos ||
        name.find('\\') != std::string::npos || name.find('\0') != std::string::npos)
        fail_input(escaped(series.directory.string()),
                   fmt::format("'{}' cannot be the name of a series of frames", escaped(name)),
                   "use letters, digits, '-' and '_'");
    if (series.directory.empty()) return;
    std::error_code code;
    fs::create_directories(series.directory, code);
    if (code)
        fail_io(escaped(series.directory.string()),
                fmt::format("cannot make the folder: {}", code.message()));
}

void keep_numbered_frames(const FrameSeries& series, Index frames_kept,
                          std::string_view extension) {
    const fs::path directory = series.directory.empty() ? "." : series.directory;
    const std::string prefix = series.name + ".";
    for (const fs::path& file : files_of(directory)) {
        const std::string target = target_of_temporary(file.filename().string());
        const NumberedName name = numbered_name(target.empty() ? file : fs::path(target));
        if (name.frame < 0 || name.prefix != prefix || name.extension != extension) continue;
        if (!target.empty() || name.frame > frames_kept || name.frame < 1) remove_if_present(file);
    }
    for (Index frame = 1; frame <= frames_kept; ++frame) {
        const fs::path file = numbered_frame(series, frame, extension);
        if (!fs::exists(file))
            fail_io(escaped(file.string()),
                    fmt::format("missing: cannot continue after frame {}", frames_kept),
                    "start the run anew");
    }
}

void remove_temporaries(const FrameSeries& series, std::string_view extension) {
    const fs::path directory = series.directory.empty() ? "." : series.directory;
    const std::string file_name = series_file(series, extension).filename().string();
    for (const fs::path& file : files_of(directory))
        if (target_of_temporary(file.filename().string()) == file_name) remove_if_present(file);
}

void remove_if_present(const fs::path& path) {
    std::error_code code;
    fs::remove_all(path, code);
    if (code) fail_io(escaped(path.string()), fmt::format("cannot remove: {}", code.message()));
}

}  // namespace taffeta::io

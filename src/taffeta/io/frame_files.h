#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "taffeta/io/frame_sink.h"

/// Names of the files of a series, and the tidying that a resumed run needs.
namespace taffeta::io {

/// `<directory>/<name><extension>`, such as `frames/cloth.pc2`.
std::filesystem::path series_file(const FrameSeries& series, std::string_view extension);

/// `<directory>/<name>.0012<extension>`: four digits, more from frame 10000 on.
std::filesystem::path numbered_frame(const FrameSeries& series, Index frame,
                                     std::string_view extension);

/// A file name taken apart at its frame number: `cloth.0012.obj` is `cloth.`, 12, `.obj`. The
/// number is the last run of digits before the extension; it stands alone or after one of `._-`.
struct NumberedName {
    std::string prefix;  ///< with the separator
    Index frame = -1;    ///< -1: the name carries no number
    std::string extension;
};
NumberedName numbered_name(const std::filesystem::path& file);

/// The text before the frame mark of a pattern, `cloth.` of `cloth.####.ply`, `cloth.*.ply`,
/// `cloth.$F4.ply` and `cloth.%04d.ply`; nothing when the name ends in no such mark.
std::optional<std::string> pattern_prefix(const std::filesystem::path& file);

/// `cloth` of `cloth.obj`, `cloth.0012.obj` and `cloth.####.obj`.
std::string series_name(const std::filesystem::path& file);

/// Refuses names that would leave the folder, and makes the folder.
void prepare_directory(const FrameSeries& series);

/// Removes the numbered frames behind `frames_kept`, and the temporary files that a killed writer
/// of this series left. Checks that frames 1..frames_kept are there.
void keep_numbered_frames(const FrameSeries& series, Index frames_kept, std::string_view extension);

/// Removes the temporary files of `<name><extension>` that a killed writer left.
void remove_temporaries(const FrameSeries& series, std::string_view extension);

/// Removes a file or folder if it is there.
void remove_if_present(const std::filesystem::path& path);

}  // namespace taffeta::io

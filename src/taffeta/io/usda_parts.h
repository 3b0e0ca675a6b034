#pragma once

#include <array>
#include <string>

#include "taffeta/base/types.h"
#include "taffeta/io/growing_file.h"

namespace taffeta::io {

/// The time samples of a `.usda` file in the making.
///
/// USDA keeps all samples of one attribute together, and its header names the last frame: the file
/// cannot grow frame by frame. So each attribute grows a text file of its own in the folder
/// `<name>.usda.parts`, one line a frame exactly as it will stand in the end, and closing puts
/// them together. (A binary spool, formatted at the end, was the alternative: then the last step
/// of a long run would take minutes.)
class UsdaParts {
  public:
    enum Attribute { points, extent, velocities, attribute_count };
    /// `point3f[] points.timeSamples = {`: the line that opens an attribute's samples.
    static std::string opening(Attribute attribute);

    /// Starts afresh (0) or cuts back to `frames_kept`; takes them from the finished file when that
    /// is all there is.
    void open(const std::filesystem::path& finished, Index frames_kept);
    GrowingFile& file(Attribute attribute) { return files_[attribute]; }
    /// The first velocity line decides whether the series has any.
    bool has(Attribute attribute) const { return files_[attribute].size() > 0; }
    void sync();
    void close_and_remove();

  private:
    std::filesystem::path part(Attribute attribute) const;
    void restore(const std::filesystem::path& finished, Index frames);

    std::filesystem::path folder_;
    std::array<GrowingFile, attribute_count> files_;
};

}  // namespace taffeta::io

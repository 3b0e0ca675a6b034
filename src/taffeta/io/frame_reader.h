#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "taffeta/base/error.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::io {

/// Reads recorded frames back, one at a time: a point cache (PC2, MDD) or a sequence of mesh files.
class FrameReader {
  public:
    virtual ~FrameReader() = default;

    /// Opens, by the path:
    /// - `cloth.pc2`, `cloth.mdd`: the cache;
    /// - `frames/cloth.0001.ply`: the sequence that this file belongs to, whatever its number;
    /// - `frames/cloth.####.ply`, also with `*`, `$F4` or `%04d`: the sequence of that pattern;
    /// - `frames/cloth`: the sequence of that name, or the only one in the folder `frames/cloth`;
    /// - `cloth.obj`: one frame.
    /// The numbers of a sequence may start anywhere, go up by `stride` and must not have gaps. Throws bad input that
    /// names the file and what is wrong with it; sizes are checked against the length of the file
    /// before any memory is taken for them.
    static std::unique_ptr<FrameReader> open(const std::filesystem::path& path, Index stride = 1);

    /// The files that hold the frames: one for a cache, one a frame for a sequence.
    const std::vector<std::filesystem::path>& files() const { return files_; }
    Index frames() const { return frames_; }
    Index vertices() const { return vertices_; }
    /// Frames per second; 0 where the format does not say.
    double frame_rate() const { return frame_rate_; }
    /// The mesh of the first frame; null for a cache, which holds points only.
    virtual const mesh::TriMesh* topology() const { return nullptr; }
    /// What was found while reading the first frame's mesh.
    virtual Diagnostics diagnostics() const { return {}; }
    /// Positions of a frame in m, 3 #V, frames counted from 1.
    virtual void read(Index frame, VecX& x) = 0;

  protected:
    std::vector<std::filesystem::path> files_;
    Index frames_ = 0, vertices_ = 0;
    double frame_rate_ = 0;
};

std::unique_ptr<FrameReader> open_pc2(const std::filesystem::path& path);
std::unique_ptr<FrameReader> open_mdd(const std::filesystem::path& path);
std::unique_ptr<FrameReader> open_sequence(const std::filesystem::path& path, Index stride);

}  // namespace taffeta::io

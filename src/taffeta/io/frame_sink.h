#pragma once

#include <filesystem>
#include <string>

#include "taffeta/base/registry.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::io {

/// What a sink must know about the body whose frames it writes.
struct FrameSeries {
    std::string name;  ///< of the body: files are `<name>.0001.obj`, `<name>.pc2`
    std::filesystem::path directory;
    mesh::TriMesh mesh;      ///< topology, uv and positions of the first frame
    double frame_rate = 24;  ///< frames per second
    Index frames = 0;        ///< planned number of frames, the initial state included
    bool z_up = false;
    Vec3 color = Vec3(0.55, 0.62, 0.75);
};

/// Writes the frames of one body. Frame 1 is the initial state; time = (frame - 1) / frame_rate.
///
/// After `open`, frames come in order. A file is valid whenever `close` has returned, also when
/// fewer frames than planned came. Sinks never keep more than one frame in memory. A frame is on
/// disk when `write` has returned; a sink that is destroyed, or a process that is killed, before
/// `close` leaves what a later `open` continues from.
class FrameSink {
  public:
    virtual ~FrameSink() = default;

    /// Starts a series, or continues one after `frames_kept` good frames (a resumed run): whatever
    /// stands on disk behind them is dropped. The files then equal those of an unbroken run. Throws
    /// an io error when the disk holds fewer frames.
    virtual void open(const FrameSeries& series, Index frames_kept) = 0;
    /// Positions in m and velocities in m/s, 3 #V each. `v` may be empty where velocities are not
    /// known, then in every frame of the series.
    virtual void write(Index frame, const VecX& x, const VecX& v) = 0;
    virtual void close() = 0;
};

struct SinkProperties {
    std::string_view extension;
    bool sequence = false;  ///< a file a frame
    bool velocities = false;
    bool triangles = true;  ///< keeps the topology; false: a cache of points only
};

using SinkEntry = Entry<FrameSink, SinkProperties>;
Registry<SinkEntry> frame_sinks();

}  // namespace taffeta::io

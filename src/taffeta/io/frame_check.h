#pragma once

#include <vector>

#include "taffeta/io/frame_sink.h"

namespace taffeta::io {

/// What every sink demands of the frames that it is handed, and their float32 form: frames in
/// order, three numbers a vertex, finite in single precision, velocities in all frames or in none.
/// A violation is a mistake of the caller and throws an internal error that names the vertex.
class FrameCheck {
  public:
    void start(const FrameSeries& series, Index frames_kept);
    /// Call first in `write`.
    void next(Index frame, const VecX& x, const VecX& v);

    Index frames() const { return frames_; }  ///< frames so far, those kept included
    Index vertices() const { return vertices_; }
    const std::vector<float>& position() const { return position_; }  ///< 3 #V, m
    const std::vector<float>& velocity() const { return velocity_; }  ///< 3 #V, m/s, or empty

  private:
    void convert(const VecX& values, const char* what, std::vector<float>& out) const;

    std::string name_;
    Index frames_ = 0, vertices_ = 0;
    std::vector<float> position_, velocity_;
};

/// Seconds of a frame; frame 1 is at zero.
inline double frame_time(Index frame, double frame_rate) {
    return (frame - 1) / frame_rate;
}

}  // namespace taffeta::io

#include "taffeta/io/frame_check.h"

#include <fmt/format.h>

#include <cmath>

#include "taffeta/base/error.h"

namespace taffeta::io {

void FrameCheck::start(const FrameSeries& series, Index frames_kept) {
    TAFFETA_ASSERT(frames_kept >= 0);
    TAFFETA_ASSERT(series.frame_rate > 0);
    name_ = series.name;
    frames_ = frames_kept;
    vertices_ = series.mesh.vertex_count();
}

void FrameCheck::next(Index frame, const VecX& x, const VecX& v) {
    if (frame != frames_ + 1)
        throw Error(ErrorCode::internal, name_,
                    fmt::format("frame {} came after frame {}", frame, frames_));
    convert(x, "position", position_);
    if (v.size() == 0)
        velocity_.clear();
    else
        convert(v, "velocity", velocity_);
    ++frames_;
}

void FrameCheck::convert(const VecX& values, const char* what, std::vector<float>& out) const {
    if (values.size() != 3 * Eigen::Index(vertices_))
        throw Error(ErrorCode::internal, name_,
                    fmt::format("frame {}: {} numbers of {} for {} vertices", frames_ + 1,
                                values.size(), what, vertices_));
    out.resize(std::size_t(values.size()));
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        const float value = float(values[i]);
        if (!std::isfinite(value))
            throw Error(ErrorCode::internal, name_,
                        fmt::format("frame {}: the {} of vertex {} is {}", frames_ + 1, what, i / 3,
                                    values[i]));
        out[std::size_t(i)] = value;
    }
}

}  // namespace taffeta::io

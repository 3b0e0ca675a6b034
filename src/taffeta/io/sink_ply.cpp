#include <fmt/format.h>

#include "taffeta/io/atomic_file.h"
#include "taffeta/io/bytes.h"
#include "taffeta/io/frame_check.h"
#include "taffeta/io/frame_files.h"

namespace taffeta::io {

namespace {

constexpr std::string_view ply_extension = ".ply";

/// `list uchar int` records, the same in every frame.
std::string face_bytes(const mesh::TriMesh& mesh) {
    std::string bytes;
    bytes.reserve(mesh.face.size() * (1 + sizeof(Triangle)));
    for (const Triangle& face : mesh.face) {
        bytes.push_back(3);
        for (const Index vertex : face)
            append_little(bytes, std::int32_t(vertex));
    }
    return bytes;
}

/// A binary little-endian PLY file a frame: float32 positions and velocities, triangles.
class PlySink : public FrameSink {
  public:
    void open(const FrameSeries& series, Index frames_kept) override {
        prepare_directory(series);
        keep_numbered_frames(series, frames_kept, ply_extension);
        check_.start(series, frames_kept);
        series_ = series;
        faces_ = face_bytes(series.mesh);
    }

    void write(Index frame, const VecX& x, const VecX& v) override {
        check_.next(frame, x, v);
        AtomicFile file(numbered_frame(series_, frame, ply_extension));
        file.write(header(frame));
        const std::vector<float>& position = check_.position();
        const std::vector<float>& velocity = check_.velocity();
        for (std::size_t i = 0; i < position.size(); i += 3) {
            file.write(&position[i], 3 * sizeof(float));
            if (!velocity.empty()) file.write(&velocity[i], 3 * sizeof(float));
        }
        file.write(faces_);
        file.commit();
    }

    void close() override {}

  private:
    std::string header(Index frame) const {
        const bool moving = !check_.velocity().empty();
        return fmt::format(
            "ply\nformat binary_little_endian 1.0\ncomment frame {}, {} s\nelement vertex {}\n"
            "property float x\nproperty float y\nproperty float z\n{}element face {}\n"
            "property list uchar int vertex_indices\nend_header\n",
            frame, frame_time(frame, series_.frame_rate), check_.vertices(),
            moving ? "property float vx\nproperty float vy\nproperty float vz\n" : "",
            series_.mesh.face_count());
    }

    FrameSeries series_;
    FrameCheck check_;
    std::string faces_;
};

}  // namespace

extern const SinkEntry sink_ply;
constinit const SinkEntry sink_ply{"ply", "Stanford PLY, binary, a file a frame, with velocities",
                                   SinkProperties{ply_extension, true, true, true},
                                   field_table<NoOptions>,
                                   [](const Settings& options) -> std::unique_ptr<FrameSink> {
                                       read_options<NoOptions>(options);
                                       return std::make_unique<PlySink>();
                                   }};

}  // namespace taffeta::io

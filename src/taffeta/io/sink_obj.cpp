#include "taffeta/io/atomic_file.h"
#include "taffeta/io/frame_check.h"
#include "taffeta/io/frame_files.h"
#include "taffeta/io/text_block.h"

namespace taffeta::io {

namespace {

constexpr std::string_view obj_extension = ".obj";

/// `vt` and `f` lines, the same in every frame.
std::string topology_text(const mesh::TriMesh& mesh) {
    std::string all;
    TextBlock text([&](std::string_view block) { all += block; });
    for (const Vec2& uv : mesh.uv)
        text << "vt " << float(uv.x()) << " " << float(uv.y()) << "\n";
    const bool with_uv = !mesh.face_uv.empty();
    for (std::size_t f = 0; f < mesh.face.size(); ++f) {
        text << "f";
        for (std::size_t corner = 0; corner < 3; ++corner) {
            text << " " << mesh.face[f][corner] + 1;
            if (with_uv) text << "/" << mesh.face_uv[f][corner] + 1;
        }
        text << "\n";
    }
    for (const Edge& edge : mesh.loose_edge)
        text << "l " << edge[0] + 1 << " " << edge[1] + 1 << "\n";
    text.flush();
    return all;
}

/// A Wavefront OBJ file a frame: positions, uv, triangles and loose edges.
class ObjSink : public FrameSink {
  public:
    void open(const FrameSeries& series, Index frames_kept) override {
        prepare_directory(series);
        keep_numbered_frames(series, frames_kept, obj_extension);
        check_.start(series, frames_kept);
        series_ = series;
        topology_ = topology_text(series.mesh);
    }

    void write(Index frame, const VecX& x, const VecX& v) override {
        check_.next(frame, x, v);
        AtomicFile file(numbered_frame(series_, frame, obj_extension));
        TextBlock text([&](std::string_view block) { file.write(block); });
        text << "# frame " << frame << ", " << frame_time(frame, series_.frame_rate) << " s\n";
        const std::vector<float>& position = check_.position();
        for (std::size_t i = 0; i < position.size(); i += 3)
            text << "v " << position[i] << " " << position[i + 1] << " " << position[i + 2] << "\n";
        text.flush();
        file.write(topology_);
        file.commit();
    }

    void close() override {}

  private:
    FrameSeries series_;
    FrameCheck check_;
    std::string topology_;
};

}  // namespace

extern const SinkEntry sink_obj;
constinit const SinkEntry sink_obj{"obj", "Wavefront OBJ, a file a frame: opens everywhere",
                                   SinkProperties{obj_extension, true, false, true},
                                   field_table<NoOptions>,
                                   [](const Settings& options) -> std::unique_ptr<FrameSink> {
                                       read_options<NoOptions>(options);
                                       return std::make_unique<ObjSink>();
                                   }};

}  // namespace taffeta::io

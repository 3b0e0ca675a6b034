#include <fmt/format.h>

#include <algorithm>

#include "taffeta/base/error.h"
#include "taffeta/io/atomic_file.h"
#include "taffeta/io/bytes.h"
#include "taffeta/io/frame_check.h"
#include "taffeta/io/frame_files.h"
#include "taffeta/io/growing_file.h"

namespace taffeta::io {

namespace {

constexpr std::string_view mdd_extension = ".mdd", part_extension = ".mdd.part";

/// Big-endian frames and vertices, then the seconds of every frame.
std::string header(Index frames, Index vertices, double frame_rate) {
    std::string bytes;
    append_big(bytes, std::int32_t(frames));
    append_big(bytes, std::int32_t(vertices));
    for (Index frame = 1; frame <= frames; ++frame)
        append_big(bytes, float(frame_time(frame, frame_rate)));
    return bytes;
}

/// One MDD file: big-endian float32 positions. The header holds the time of every frame and so
/// its length depends on their number, which only `close` knows. Until then the positions grow in
/// `<name>.mdd.part`, exactly as they will follow the header.
class MddSink : public FrameSink {
  public:
    void open(const FrameSeries& series, Index frames_kept) override {
        prepare_directory(series);
        remove_temporaries(series, mdd_extension);
        check_.start(series, frames_kept);
        frame_rate_ = series.frame_rate;
        path_ = series_file(series, mdd_extension);
        const std::filesystem::path part = series_file(series, part_extension);
        const std::uint64_t size = frames_kept * frame_size();
        if (file_size_or_zero(part) < size) restore_part(part, frames_kept);
        part_.open(part, size);
        remove_if_present(path_);
    }

    void write(Index frame, const VecX& x, const VecX& v) override {
        check_.next(frame, x, v);
        bytes_.clear();
        for (const float value : check_.position())
            append_big(bytes_, value);
        part_.append(bytes_);
        part_.sync();
    }

    void close() override {
        if (!part_.is_open()) return;
        const std::filesystem::path part = part_.path();
        AtomicFile file(path_);
        file.write(header(check_.frames(), check_.vertices(), frame_rate_));
        copy_bytes(part, 0, part_.size(),
                   [&](const char* data, std::size_t size) { file.write(data, size); });
        file.commit();
        part_.close();
        remove_if_present(part);
    }

  private:
    std::uint64_t frame_size() const {
        return 3 * sizeof(float) * std::uint64_t(check_.vertices());
    }

    /// A finished file is continued (more frames of a run that had ended): takes its positions
    /// back. Dying here leaves a part that is too short and the finished file, hence the same
    /// choice for the next `open`.
    void restore_part(const std::filesystem::path& part, Index frames) {
        const std::uint64_t counts = 2 * sizeof(std::int32_t);
        std::int32_t stored_frames = 0, stored_vertices = 0;
        if (file_size_or_zero(path_) >= counts)
            copy_bytes(path_, 0, counts, [&](const char* data, std::size_t) {
                stored_frames = read_big<std::int32_t>(data);
                stored_vertices = read_big<std::int32_t>(data + sizeof(std::int32_t));
            });
        if (stored_frames < frames || stored_vertices != check_.vertices())
            fail_io(escaped(path_.string()),
                    fmt::format("holds {} frames of {} vertices, not {} of {}: cannot continue",
                                stored_frames, stored_vertices, frames, check_.vertices()),
                    "start the run anew");
        GrowingFile restored;
        restored.open(part, 0);
        copy_bytes(path_, counts + sizeof(float) * std::uint64_t(stored_frames),
                   frames * frame_size(),
                   [&](const char* data, std::size_t size) { restored.append(data, size); });
        restored.sync();
        restored.close();
    }

    std::filesystem::path path_;
    double frame_rate_ = 24;
    FrameCheck check_;
    GrowingFile part_;
    std::string bytes_;
};

}  // namespace

extern const SinkEntry sink_mdd;
constinit const SinkEntry sink_mdd{"mdd", "MDD, one file of points: Blender, Houdini, LightWave",
                                   SinkProperties{mdd_extension, false, false, false},
                                   field_table<NoOptions>,
                                   [](const Settings& options) -> std::unique_ptr<FrameSink> {
                                       read_options<NoOptions>(options);
                                       return std::make_unique<MddSink>();
                                   }};

}  // namespace taffeta::io

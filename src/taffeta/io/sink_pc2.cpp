#include <fmt/format.h>

#include "taffeta/base/error.h"
#include "taffeta/io/bytes.h"
#include "taffeta/io/frame_check.h"
#include "taffeta/io/frame_files.h"
#include "taffeta/io/growing_file.h"

namespace taffeta::io {

namespace {

constexpr std::string_view pc2_extension = ".pc2";
constexpr std::uint64_t header_size = 32, frame_count_offset = 28;

/// The header of POINTCACHE2 but for its last four bytes, the number of frames.
std::string header_start(Index vertices) {
    std::string bytes("POINTCACHE2\0", 12);
    append_little(bytes, std::int32_t(1));  // version
    append_little(bytes, std::int32_t(vertices));
    append_little(bytes, 1.0f);  // first frame
    append_little(bytes, 1.0f);  // frames a sample
    return bytes;
}

/// One POINTCACHE2 file: little-endian float32 positions, frame after frame. The count in the
/// header is raised after the bytes of a frame: at any moment the file is a valid cache of the
/// frames that its header names.
class Pc2Sink : public FrameSink {
  public:
    void open(const FrameSeries& series, Index frames_kept) override {
        prepare_directory(series);
        check_.start(series, frames_kept);
        const std::filesystem::path path = series_file(series, pc2_extension);
        const std::string start = header_start(check_.vertices());
        if (frames_kept == 0) {
            file_.open(path, 0);
            file_.append(start + std::string(sizeof(std::int32_t), '\0'));
            return;
        }
        require_frames(path, start, frames_kept);
        // Count first: the header never names a frame that the file does not hold.
        file_.open(path, file_size_or_zero(path));
        write_count(frames_kept);
        file_.open(path, header_size + frames_kept * frame_size());
    }

    void write(Index frame, const VecX& x, const VecX& v) override {
        check_.next(frame, x, v);
        file_.append(bytes_of(std::span(check_.position())));
        file_.sync();
        write_count(frame);
    }

    void close() override { file_.close(); }

  private:
    std::uint64_t frame_size() const {
        return 3 * sizeof(float) * std::uint64_t(check_.vertices());
    }

    void write_count(Index frames) {
        const std::int32_t count = frames;
        file_.overwrite(frame_count_offset, &count, sizeof count);
    }

    void require_frames(const std::filesystem::path& path, const std::string& start,
                        Index frames) const {
        const std::uint64_t size = file_size_or_zero(path);
        if (size < header_size + frames * frame_size())
            fail_io(escaped(path.string()),
                    fmt::format("holds fewer than {} frames: cannot continue", frames),
                    "start the run anew");
        std::string found;
        copy_bytes(path, 0, start.size(),
                   [&](const char* data, std::size_t count) { found.append(data, count); });
        if (found != start)
            fail_io(
                escaped(path.string()),
                fmt::format("is not a cache of {} vertices: cannot continue", check_.vertices()),
                "start the run anew");
    }

    FrameCheck check_;
    GrowingFile file_;
};

}  // namespace

extern const SinkEntry sink_pc2;
constinit const SinkEntry sink_pc2{"pc2", "POINTCACHE2, one file of points: Blender, 3ds Max",
                                   SinkProperties{pc2_extension, false, false, false},
                                   field_table<NoOptions>,
                                   [](const Settings& options) -> std::unique_ptr<FrameSink> {
                                       read_options<NoOptions>(options);
                                       return std::make_unique<Pc2Sink>();
                                   }};

}  // namespace taffeta::io

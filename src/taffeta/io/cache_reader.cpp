#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <system_error>

#include "taffeta/io/bytes.h"
#include "taffeta/io/frame_reader.h"
#include "taffeta/io/growing_file.h"

namespace taffeta::io {

namespace {

namespace fs = std::filesystem;

/// A file of float32 points, frame after frame behind a header, in either byte order.
class CacheReader : public FrameReader {
  public:
    void read(Index frame, VecX& x) override {
        TAFFETA_ASSERT(frame >= 1 && frame <= frames_);
        raw_.resize(std::size_t(frame_size()));
        file_.seekg(std::streamoff(header_size_ + std::uint64_t(frame - 1) * frame_size()));
        get(raw_.data(), raw_.size());
        x.resize(3 * Eigen::Index(vertices_));
        for (Eigen::Index i = 0; i < x.size(); ++i) {
            const char* bytes = raw_.data() + std::size_t(i) * sizeof(float);
            x[i] = big_endian_ ? read_big<float>(bytes) : read_little<float>(bytes);
            if (!std::isfinite(x[i]))
                fail(fmt::format("frame {}: vertex {} is not finite", frame, i / 3));
        }
    }

  protected:
    CacheReader(const fs::path& path, bool big_endian) : path_(path), big_endian_(big_endian) {
        std::error_code code;
        const fs::file_status status = fs::status(path, code);
        if (!fs::exists(status)) fail(fmt::format("cannot read: {}", code.message()));
        // Opening a pipe would wait for its writer.
        if (!fs::is_regular_file(status)) fail("cannot read: it is not a regular file");
        file_.open(path, std::ios::binary);
        if (!file_) fail(fmt::format("cannot read: {}", std::strerror(errno)));
        files_ = {path};
        size_ = file_size_or_zero(path);
    }

    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        fail_input(escaped(path_.string()), what, hint);
    }

    void get(char* bytes, std::size_t size) {
        if (!file_.read(bytes, std::streamsize(size))) fail("ends too early");
    }

    /// Takes the counts of a header, after a look at whether the file can hold them.
    void accept(std::int32_t frames, std::int32_t vertices, std::uint64_t header_size) {
        if (frames < 1 || vertices < 1)
            fail(fmt::format("the header promises {} frames of {} vertices", frames, vertices));
        frames_ = frames;
        vertices_ = vertices;
        header_size_ = header_size;
        // Divisions, as the product of two hostile counts may exceed 64 bits.
        if (size_ < header_size || (size_ - header_size) / frame_size() < std::uint64_t(frames))
            fail(fmt::format("the header promises {} frames of {} vertices, the file has {} bytes",
                             frames, vertices, size_),
                 "the file is cut off or damaged");
    }

    std::uint64_t frame_size() const { return 3 * sizeof(float) * std::uint64_t(vertices_); }
    std::uint64_t expected_size() const {
        return header_size_ + std::uint64_t(frames_) * frame_size();
    }

    fs::path path_;
    bool big_endian_;
    std::ifstream file_;
    std::uint64_t size_ = 0, header_size_ = 0;
    std::vector<char> raw_;
};

/// POINTCACHE2. A file that is being written ends with part of a frame: up to one frame more than
/// the header names is accepted.
class Pc2Reader : public CacheReader {
  public:
    explicit Pc2Reader(const fs::path& path) : CacheReader(path, false) {
        constexpr std::size_t header_size = 32;
        constexpr char magic[12] = "POINTCACHE2";
        char header[header_size];
        if (size_ < header_size) fail(fmt::format("{} bytes are too few for a header", size_));
        get(header, header_size);
        if (std::memcmp(header, magic, sizeof magic) != 0)
            fail("does not begin with POINTCACHE2: not a PC2 cache");
        if (const auto version = read_little<std::int32_t>(header + 12); version != 1)
            fail(fmt::format("version {} of POINTCACHE2 is not known, only 1 is", version));
        accept(read_little<std::int32_t>(header + 28), read_little<std::int32_t>(header + 16),
               header_size);
        if (size_ - expected_size() > frame_size())
            fail(fmt::format("the header names {} frames of {} vertices, {} bytes too many follow",
                             frames_, vertices_, size_ - expected_size()),
                 "the header is damaged");
    }
};

class MddReader : public CacheReader {
  public:
    explicit MddReader(const fs::path& path) : CacheReader(path, true) {
        constexpr std::uint64_t counts_size = 8;
        char counts[counts_size];
        if (size_ < counts_size) fail(fmt::format("{} bytes are too few for a header", size_));
        get(counts, counts_size);
        const auto frames = read_big<std::int32_t>(counts);
        accept(frames, read_big<std::int32_t>(counts + 4),
               counts_size + sizeof(float) * std::uint64_t(std::max(frames, 0)));
        if (size_ != expected_size())
            fail(fmt::format("the header names {} frames of {} vertices, {} bytes too many follow",
                             frames_, vertices_, size_ - expected_size()),
                 "not an MDD cache, or its header is damaged");
        read_times();
    }

  private:
    /// The rate of evenly spaced times. They are rounded to float32: a rate that is whole within
    /// that rounding is the whole number, so that converting back and forth changes nothing.
    void read_times() {
        std::vector<char> bytes(sizeof(float) * std::size_t(frames_));
        get(bytes.data(), bytes.size());
        const auto time = [&](Index frame) {
            return double(read_big<float>(bytes.data() + sizeof(float) * std::size_t(frame)));
        };
        for (Index frame = 0; frame < frames_; ++frame)
            if (!std::isfinite(time(frame)) || (frame > 0 && time(frame) < time(frame - 1)))
                fail(fmt::format("the time of frame {} is {}", frame + 1, time(frame)),
                     "times must not decrease");
        const double duration = time(frames_ - 1) - time(0);
        if (duration <= 0) return;
        constexpr double rounding = 1e-6;
        frame_rate_ = (frames_ - 1) / duration;
        const double whole = std::round(frame_rate_);
        if (std::abs(frame_rate_ - whole) <= rounding * whole) frame_rate_ = whole;
    }
};

}  // namespace

std::unique_ptr<FrameReader> open_pc2(const fs::path& path) {
    return std::make_unique<Pc2Reader>(path);
}

std::unique_ptr<FrameReader> open_mdd(const fs::path& path) {
    return std::make_unique<MddReader>(path);
}

}  // namespace taffeta::io

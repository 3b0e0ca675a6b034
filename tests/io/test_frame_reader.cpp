#include "taffeta/io/frame_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "../helpers/sink_frames.h"

namespace taffeta::io {
namespace {

constexpr Index frames = 5;

class FrameReaderTest : public testing::Test {
  protected:
    FrameReaderTest() : series_(sheet_series(folder_.path())) {}

    void record(std::string_view key, Index count = frames) {
        const std::unique_ptr<FrameSink> sink = make_sink(key);
        sink->open(series_, 0);
        write_sheet(*sink, series_, 1, count);
        sink->close();
    }

    /// Reads everything back, last frame first, and compares in single precision.
    void expect_recorded(const std::filesystem::path& path) {
        const std::unique_ptr<FrameReader> reader = FrameReader::open(path);
        ASSERT_EQ(reader->frames(), frames) << path;
        ASSERT_EQ(reader->vertices(), series_.mesh.vertex_count());
        VecX x;
        for (Index frame = frames; frame >= 1; --frame) {
            reader->read(frame, x);
            // Shortest digits name the nearest float32, not its binary value.
            const Eigen::VectorXf expected = sheet_positions(series_, frame).cast<float>();
            EXPECT_TRUE(x.cast<float>() == expected) << path << " frame " << frame;
        }
    }

    std::string error_of(const std::filesystem::path& path) {
        try {
            FrameReader::open(path);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }

    /// Opens a damaged copy of a recorded file; `damage` changes its bytes.
    template <class Damage>
    std::string error_after(const std::string& name, const Damage& damage) {
        std::string bytes = content(folder_ / name);
        damage(bytes);
        put(folder_ / ("damaged_" + name), bytes);
        return error_of(folder_ / ("damaged_" + name));
    }

    ScratchFolder folder_;
    FrameSeries series_;
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(FrameReaderTest, ReadsCachesToSinglePrecision) {
    record("pc2");
    record("mdd");

    expect_recorded(folder_ / "cloth.pc2");
    expect_recorded(folder_ / "cloth.mdd");
    EXPECT_EQ(FrameReader::open(folder_ / "cloth.pc2")->topology(), nullptr);
}

TEST_F(FrameReaderTest, KnowsTheFrameRateOfMddOnly) {
    series_.frame_rate = 30;
    record("pc2");
    record("mdd");

    // 4 / 30 s has no exact float32, the rate comes back whole nevertheless.
    EXPECT_EQ(FrameReader::open(folder_ / "cloth.mdd")->frame_rate(), 30);
    EXPECT_EQ(FrameReader::open(folder_ / "cloth.pc2")->frame_rate(), 0);
}

TEST_F(FrameReaderTest, ReadsSequencesByAnyOfTheirNames) {
    record("ply");

    for (const char* name : {"cloth.0001.ply", "cloth.0004.ply", "cloth.####.ply", "cloth.*.ply",
                             "cloth.$F4.ply", "cloth.%04d.ply", "cloth", ""})
        expect_recorded(folder_ / name);
}

TEST_F(FrameReaderTest, ReadsObjSequencesWithTheirTopology) {
    record("obj");

    expect_recorded(folder_ / "cloth.0001.obj");
    const std::unique_ptr<FrameReader> reader = FrameReader::open(folder_ / "cloth.0001.obj");
    ASSERT_NE(reader->topology(), nullptr);
    EXPECT_EQ(reader->topology()->face, series_.mesh.face);
    EXPECT_EQ(reader->topology()->face_uv, series_.mesh.face_uv);
}

TEST_F(FrameReaderTest, ASequenceMayStartAnywhereButHasNoGaps) {
    record("ply");
    std::filesystem::remove(folder_ / "cloth.0001.ply");
    EXPECT_EQ(FrameReader::open(folder_ / "cloth")->frames(), frames - 1);

    std::filesystem::remove(folder_ / "cloth.0003.ply");
    EXPECT_TRUE(contains(error_of(folder_ / "cloth"), "frame 3 of this sequence is missing"));
}

TEST_F(FrameReaderTest, ANumberWithoutSeparatorIsPartOfTheName) {
    record("obj", 1);
    std::filesystem::rename(folder_ / "cloth.0001.obj", folder_ / "square4.obj");
    std::filesystem::copy(folder_ / "square4.obj", folder_ / "square5.obj");

    EXPECT_EQ(FrameReader::open(folder_ / "square4.obj")->frames(), 1);
}

TEST_F(FrameReaderTest, RefusesNamesThatFitNothingOrTooMuch) {
    record("ply");
    record("obj");

    EXPECT_TRUE(contains(error_of(folder_ / "coat"), "no such file"));
    EXPECT_TRUE(contains(error_of(folder_ / "nowhere/cloth"), "no such file"));
    EXPECT_TRUE(contains(error_of(folder_ / "cloth"), "2 sequences fit"));
    EXPECT_TRUE(contains(error_of(folder_ / "cloth.usda"), "written as '.usda' but not read"));
}

TEST_F(FrameReaderTest, RefusesAFrameWithAnotherNumberOfVertices) {
    record("obj");
    put(folder_ / "cloth.0003.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const std::unique_ptr<FrameReader> reader = FrameReader::open(folder_ / "cloth");
    VecX x;

    EXPECT_NO_THROW(reader->read(2, x));
    EXPECT_THROW(reader->read(3, x), Error);
}

TEST_F(FrameReaderTest, RefusesDamagedPc2) {
    record("pc2");
    const auto count = [](std::size_t offset, std::int32_t value) {
        return [=](std::string& bytes) { std::memcpy(&bytes[offset], &value, sizeof value); };
    };

    EXPECT_TRUE(contains(error_after("cloth.pc2", [](auto& b) { b.resize(20); }), "too few"));
    EXPECT_TRUE(contains(error_after("cloth.pc2", [](auto& b) { b[0] = 'X'; }), "POINTCACHE2"));
    EXPECT_TRUE(contains(error_after("cloth.pc2", count(12, 2)), "version 2"));
    EXPECT_TRUE(contains(error_after("cloth.pc2", [](auto& b) { b.pop_back(); }), "promises"));
    EXPECT_TRUE(contains(error_after("cloth.pc2", count(28, 0)), "promises 0 frames"));
    EXPECT_TRUE(contains(error_after("cloth.pc2", count(16, -3)), "of -3 vertices"));
    EXPECT_TRUE(contains(error_after("cloth.pc2", count(28, 2)), "bytes too many"));
    // (2^31 - 1)^2 * 12 does not fit 64 bits: a product would wrap and pass.
    EXPECT_TRUE(contains(error_after("cloth.pc2",
                                     [&](auto& b) {
                                         count(16, 0x7fffffff)(b);
                                         count(28, 0x7fffffff)(b);
                                     }),
                         "promises 2147483647 frames"));
    EXPECT_TRUE(contains(error_of(folder_ / "none.pc2"), "none.pc2: cannot read: No such file"));
}

TEST_F(FrameReaderTest, RefusesWhatIsNoFileWithoutWaitingForIt) {
    std::filesystem::create_directory(folder_ / "folder.pc2");
    ASSERT_EQ(::mkfifo((folder_ / "pipe.mdd").c_str(), 0600), 0);

    EXPECT_TRUE(contains(error_of(folder_ / "folder.pc2"), "not a regular file"));
    EXPECT_TRUE(contains(error_of(folder_ / "pipe.mdd"), "not a regular file"));
}

TEST_F(FrameReaderTest, AcceptsAPc2ThatIsBeingWritten) {
    record("pc2");
    put(folder_ / "growing.pc2", content(folder_ / "cloth.pc2") + std::string(100, '\1'));

    EXPECT_EQ(FrameReader::open(folder_ / "growing.pc2")->frames(), frames);
}

TEST_F(FrameReaderTest, RefusesDamagedMdd) {
    record("mdd");

    EXPECT_TRUE(contains(error_after("cloth.mdd", [](auto& b) { b.resize(7); }), "too few"));
    EXPECT_TRUE(contains(error_after("cloth.mdd", [](auto& b) { b.pop_back(); }), "promises"));
    EXPECT_TRUE(contains(error_after("cloth.mdd", [](auto& b) { b += 'x'; }), "1 bytes too many"));
    EXPECT_TRUE(
        contains(error_after("cloth.mdd",
                             [](auto& b) { b.replace(0, 8, "\x7f\xff\xff\xff\x7f\xff\xff\xff"); }),
                 "promises 2147483647 frames"));
    EXPECT_TRUE(contains(error_after("cloth.mdd", [](auto& b) { b[0] = '\xff'; }), "promises -"));
    // The second time becomes negative.
    EXPECT_TRUE(contains(error_after("cloth.mdd", [](auto& b) { b[12] = '\xbf'; }),
                         "times must not decrease"));
}

TEST_F(FrameReaderTest, RefusesPointsThatAreNotFinite) {
    record("pc2");
    std::string bytes = content(folder_ / "cloth.pc2");
    const std::size_t frame_size = 12 * std::size_t(series_.mesh.vertex_count());
    bytes.replace(32 + frame_size + 12 * 2, 4, std::string("\0\0\xc0\x7f", 4));
    put(folder_ / "cloth.pc2", bytes);
    const std::unique_ptr<FrameReader> reader = FrameReader::open(folder_ / "cloth.pc2");
    VecX x;

    reader->read(1, x);
    try {
        reader->read(2, x);
        FAIL();
    } catch (const Error& error) {
        EXPECT_TRUE(contains(error.what(), "frame 2: vertex 2 is not finite")) << error.what();
    }
}

}  // namespace
}  // namespace taffeta::io

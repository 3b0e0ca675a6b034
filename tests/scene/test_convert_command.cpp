#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "../helpers/sink_frames.h"
#include "taffeta/io/format.h"
#include "taffeta/io/frame_reader.h"

// The command `taffeta convert` itself: exit status, messages and files.
namespace taffeta::io {
namespace {

constexpr Index frames = 3;

class ConvertCommand : public testing::Test {
  protected:
    ConvertCommand() : series_(sheet_series(folder_.path())) {
        for (const char* key : {"ply", "pc2", "mdd"}) {
            const std::unique_ptr<FrameSink> sink = make_sink(key);
            sink->open(series_, 0);
            for (Index frame = 1; frame <= frames; ++frame)
                sink->write(frame, sheet_positions(series_, frame), VecX());
            sink->close();
        }
    }

    /// Runs `taffeta convert <arguments>` in the folder and returns the exit status.
    int convert(const std::string& arguments) {
        const std::string line = "cd '" + folder_.path().string() +
                                 "' && '" TAFFETA_COMMAND "' convert " + arguments +
                                 " > output.txt 2>&1";
        const int status = std::system(line.c_str());
        output_ = content(folder_ / "output.txt");
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

    ScratchFolder folder_;
    FrameSeries series_;
    std::string output_;
};

TEST_F(ConvertCommand, CachesAndSequencesIntoEachOther) {
    ASSERT_EQ(convert("cloth.0001.ply a.pc2"), 0) << output_;
    ASSERT_EQ(convert("a.pc2 b.mdd"), 0) << output_;
    ASSERT_EQ(convert("b.mdd --mesh cloth.0002.ply again/cloth.ply"), 0) << output_;

    EXPECT_EQ(content(folder_ / "a.pc2"), content(folder_ / "cloth.pc2"));
    EXPECT_EQ(content(folder_ / "b.mdd"), content(folder_ / "cloth.mdd"));
    for (const char* name : {"cloth.0001.ply", "cloth.0002.ply", "cloth.0003.ply"})
        EXPECT_EQ(content(folder_ / "again" / name), content(folder_ / name)) << name;
    EXPECT_NE(output_.find("3 frames of 25 vertices"), std::string::npos) << output_;
}

TEST_F(ConvertCommand, OneMeshIntoOneMesh) {
    ASSERT_EQ(convert("cloth.0002.ply pose.obj"), 0) << output_;
    ASSERT_EQ(convert("cloth.pc2 --frame 2 --mesh cloth.0001.ply same.obj"), 0) << output_;

    Diagnostics diagnostics;
    const mesh::TriMesh pose = read_mesh(folder_ / "pose.obj", diagnostics);
    EXPECT_EQ(pose.face, series_.mesh.face);
    EXPECT_EQ(read_mesh(folder_ / "same.obj", diagnostics).position, pose.position);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "pose.0001.obj"));
}

TEST_F(ConvertCommand, TheFrameRateAndTheUpAxisReachTheFile) {
    ASSERT_EQ(convert("cloth.0001.ply c.usda --frame-rate 30 --up z"), 0) << output_;

    const std::string text = content(folder_ / "c.usda");
    EXPECT_NE(text.find("timeCodesPerSecond = 30"), std::string::npos);
    EXPECT_NE(text.find("upAxis = \"Z\""), std::string::npos);
}

TEST_F(ConvertCommand, BadInputExitsWithTwoAndSaysWhatToDo) {
    EXPECT_EQ(convert("cloth.pc2 c.usda"), 2);
    EXPECT_NE(output_.find("--mesh FILE"), std::string::npos) << output_;
    EXPECT_EQ(convert("cloth.pc2 c.xyz"), 2);
    EXPECT_NE(output_.find("known: .obj"), std::string::npos) << output_;
    EXPECT_EQ(convert("cloth.pc2 --frame 9 --mesh cloth.0001.ply c.obj"), 2);
    EXPECT_NE(output_.find("there are 3 frames"), std::string::npos) << output_;
    EXPECT_EQ(convert("nothing.pc2 c.mdd"), 2);
    EXPECT_EQ(convert("nothing.obj c.mdd"), 2);
    EXPECT_EQ(convert("cloth.pc2"), 2);
    EXPECT_EQ(convert("cloth.pc2 cloth.mdd/c.mdd"), 3) << "a file is no folder: " << output_;
}

TEST_F(ConvertCommand, NeverOverwritesTheFramesItReads) {
    const auto before = contents(folder_.path());

    for (const char* arguments : {"cloth.0001.ply cloth.0001.ply", ". cloth.ply", "cloth cloth.ply",
                                  "cloth.####.ply ./cloth.ply", "cloth.pc2 cloth.pc2"})
        EXPECT_EQ(convert(arguments), 2) << arguments << "\n" << output_;

    auto after = contents(folder_.path());
    after.erase("output.txt");
    EXPECT_TRUE(after == before);
}

}  // namespace
}  // namespace taffeta::io

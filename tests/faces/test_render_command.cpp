#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "faces/small_run.h"

namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

/// A run of four frames on disk, made once.
class RenderCommand : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ =
            fs::path(testing::TempDir()) / ("taffeta_render_command_" + std::to_string(::getpid()));
        problem_ = test::make_small_run(folder_, 3);
    }
    static void TearDownTestSuite() { fs::remove_all(folder_); }
    void SetUp() override { ASSERT_EQ(problem_, ""); }

    static int render(const std::vector<std::string>& more, std::string* output = nullptr) {
        std::vector<std::string> arguments = {"render", folder_.string(), "--samples",
                                              "1",      "--size",         "80x60"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Command command(arguments);
        const int status = command.wait();
        if (output) *output = command.text();
        return status;
    }
    /// Width and height as the header of a PNG states them, {0, 0} when it is none.
    static std::pair<unsigned, unsigned> png_size(const fs::path& file) {
        std::ifstream stream(file, std::ios::binary);
        std::array<unsigned char, 24> header{};
        stream.read(reinterpret_cast<char*>(header.data()), header.size());
        if (!stream || std::string(header.begin() + 1, header.begin() + 4) != "PNG") return {0, 0};
        const auto number = [&](std::size_t at) {
            return unsigned(header[at]) << 24 | unsigned(header[at + 1]) << 16 |
                   unsigned(header[at + 2]) << 8 | header[at + 3];
        };
        return {number(16), number(20)};
    }
    static std::string bytes(const fs::path& file) {
        std::ostringstream text;
        text << std::ifstream(file, std::ios::binary).rdbuf();
        return text.str();
    }

    inline static fs::path folder_;
    inline static std::string problem_;
};

TEST_F(RenderCommand, DrawsTheLastFrameIntoTheFolderOfTheRun) {
    ASSERT_EQ(render({}), 0);
    ASSERT_EQ(render({"--frame", "4", "-o", (folder_ / "four.png").string()}), 0);
    ASSERT_EQ(render({"--frame", "1", "-o", (folder_ / "one.png").string()}), 0);

    EXPECT_EQ(png_size(folder_ / "render.png"), std::pair(80u, 60u));
    EXPECT_EQ(bytes(folder_ / "render.png"), bytes(folder_ / "four.png"));
    EXPECT_NE(bytes(folder_ / "render.png"), bytes(folder_ / "one.png"));
}

TEST_F(RenderCommand, SameBytesForAnyNumberOfThreads) {
    ASSERT_EQ(render({"--threads", "1", "-o", (folder_ / "a.png").string()}), 0);
    ASSERT_EQ(render({"--threads", "4", "-o", (folder_ / "b.png").string()}), 0);

    EXPECT_EQ(bytes(folder_ / "a.png"), bytes(folder_ / "b.png"));
}

TEST_F(RenderCommand, SheetHoldsTheChosenFrames) {
    ASSERT_EQ(render({"--frames", "1,2,4"}), 0);

    const auto [width, height] = png_size(folder_ / "sheet.png");
    EXPECT_GT(width, 2 * 80u);
    EXPECT_GE(height, 60u);
}

TEST_F(RenderCommand, NamesTheFramesThatThereAre) {
    std::string output;

    EXPECT_EQ(render({"--frame", "5"}, &output), 2);

    EXPECT_NE(output.find("frames 1 to 4"), std::string::npos) << output;
}

TEST_F(RenderCommand, FindsTheFilesOfTheScene) {
    const fs::path scene = folder_ / "scene", moved = folder_ / "moved", run = folder_ / "filed";
    fs::create_directories(scene);
    std::ofstream(scene / "square.obj") << "v 0 1 0\nv 1 1 0\nv 1 1 1\nv 0 1 1\n"
                                           "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
                                           "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
    std::ofstream(scene / "scene.json")
        << R"({"bodies": [{"mesh": {"file": "square.obj"}}], "time": {"frames": 1}})";
    Command simulation({"run", (scene / "scene.json").string(), "-o", run.string(), "--quiet"});
    ASSERT_EQ(simulation.wait(), 0) << simulation.text();

    const std::vector<std::string> render = {"render", run.string(), "--samples",
                                             "1",      "--size",     "8x8"};
    std::vector<std::string> by_folder = render;
    by_folder.insert(by_folder.end(), {"--scene-folder", moved.string()});

    Command before(render);
    EXPECT_EQ(before.wait(), 0) << before.text();

    fs::rename(scene, moved);
    Command lost(render);
    EXPECT_EQ(lost.wait(), 2);
    EXPECT_NE(lost.text().find("--scene-folder"), std::string::npos) << lost.text();
    Command found(by_folder);
    EXPECT_EQ(found.wait(), 0) << found.text();
}

TEST_F(RenderCommand, RefusesWhatIsNoPicture) {
    EXPECT_EQ(render({"-o", (folder_ / "a.gif").string()}), 2);
    EXPECT_EQ(render({"--size", "80"}), 2);
    EXPECT_EQ(Command({"render", "/nonexistent/run"}).wait(), 2);
}

}  // namespace
}  // namespace taffeta

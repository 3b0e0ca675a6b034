#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "faces/command.h"

/// `taffeta check --intersections` from outside: on meshes made by hand and on runs.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

class CheckIntersections : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(::testing::TempDir()) /
                  ("taffeta_intersections_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const char* name) const { return (folder_ / name).string(); }
    std::string write(const char* name, const std::string& text) const {
        std::ofstream(path(name)) << text;
        return path(name);
    }

    /// A sheet that is held and a larger one that falls from 4 cm above it, without contact, at ten
    /// frames a second: by implicit Euler it falls 9.81 cm (one step) or 7.36 cm (two) at first.
    std::string falling_run(int substeps) const {
        const std::string scene = write("scene.json", R"({
            "up_axis": "Z",
            "time": {"frame_rate": 10, "frames": 1, "substeps": )" +
                                                          std::to_string(substeps) + R"(},
            "integrator": {"type": "linearised_backward_euler"},
            "contact": {"type": "none"},
            "bodies": [
                {"name": "held", "mesh": {"grid": {"columns": 2, "rows": 2}},
                 "material": "benchmark-cotton", "pins": [{"region": "all"}]},
                {"name": "falls", "mesh": {"grid": {"columns": 1, "rows": 1}},
                 "material": "benchmark-cotton",
                 "transform": {"translate": [0.1, 0.1, 0.04]}}],
            "output": {"formats": ["pc2"]}})");
        const std::string out = path("run");
        Command run({"run", scene, "-o", out, "--quiet"});
        EXPECT_EQ(run.wait(), 0) << run.text();
        return out;
    }

  private:
    fs::path folder_;
};

TEST_F(CheckIntersections, ListsThePairsOfAMesh) {
    const std::string crossing = write("crossing.obj",
                                       "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
                                       "v 0.25 0.25 -1\nv 0.25 0.25 1\nv 5 5 1\n"
                                       "f 1 2 3\nf 4 5 6\n");
    const std::string apart = write("apart.obj",
                                    "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
                                    "v 0.25 0.25 0.5\nv 0.25 0.25 1\nv 5 5 1\n"
                                    "f 1 2 3\nf 4 5 6\n");

    Command bad({"check", crossing, "--intersections", "--json", path("pairs.json")});
    EXPECT_EQ(bad.wait(), 1) << bad.text();
    EXPECT_NE(bad.text().find("edge 3-4 of"), std::string::npos) << bad.text();
    EXPECT_NE(bad.text().find("face 0 (0 1 2) of"), std::string::npos) << bad.text();
    std::ifstream json(path("pairs.json"));
    const std::string text{std::istreambuf_iterator<char>(json), {}};
    EXPECT_NE(text.find("edge 3-4 of"), std::string::npos) << text;

    Command good({"check", apart, "--intersections"});
    EXPECT_EQ(good.wait(), 0) << good.text();
    EXPECT_NE(good.text().find("0 intersections"), std::string::npos) << good.text();
}

/// Neither frame shows the sheets in each other: only the motion between them does.
TEST_F(CheckIntersections, FindsASheetThatPassedBetweenTwoFrames) {
    const std::string run = falling_run(1);

    Command check({"check", run, "--intersections"});

    EXPECT_EQ(check.wait(), 1) << check.text();
    EXPECT_NE(check.text().find(" 0 intersections in 0 frames"), std::string::npos) << check.text();
    EXPECT_NE(check.text().find("frame 1 to 2: "), std::string::npos) << check.text();
    EXPECT_NE(check.text().find("'falls'"), std::string::npos) << check.text();
    EXPECT_NE(check.text().find("'held'"), std::string::npos) << check.text();
}

/// Over several steps the way was not straight: a warning, which --strict counts.
TEST_F(CheckIntersections, CrossingsOverSeveralStepsAreAWarning) {
    const std::string run = falling_run(2);

    Command check({"check", run, "--intersections"});
    EXPECT_EQ(check.wait(), 0) << check.text();
    EXPECT_NE(check.text().find("warning"), std::string::npos) << check.text();
    Command strict({"check", run, "--intersections", "--strict"});
    EXPECT_EQ(strict.wait(), 1) << strict.text();
}

/// A sheet that hangs through the mesh of an obstacle intersects it in every frame.
TEST_F(CheckIntersections, TestsObstaclesThatAreMeshes) {
    write("spike.obj",
          "v 0.3 -1 0.3\nv 0.6 -1 0.3\nv 0.3 -1 0.6\nv 0.4 1 0.4\n"
          "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    const std::string scene = write("scene.json", R"({
        "time": {"frame_rate": 10, "frames": 1, "substeps": 1},
        "bodies": [{"name": "held", "mesh": {"grid": {"columns": 4, "rows": 4}},
                    "material": "benchmark-cotton", "pins": [{"region": "all"}],
                    "transform": {"rotate": [90, 0, 0]}}],
        "obstacles": [{"shape": {"type": "mesh", "file": "spike.obj"}}],
        "contact": {"type": "none"},
        "output": {"formats": ["pc2"]}})");
    Command run({"run", scene, "-o", path("run"), "--quiet"});
    ASSERT_EQ(run.wait(), 0) << run.text();

    Command check({"check", path("run"), "--intersections"});

    EXPECT_EQ(check.wait(), 1) << check.text();
    EXPECT_NE(check.text().find("'obstacles[0]'"), std::string::npos) << check.text();
    EXPECT_NE(check.text().find("intersections in 2 frames"), std::string::npos) << check.text();
}

TEST_F(CheckIntersections, RefusesWhatIsNoRun) {
    Command nothing({"check", path("nothing"), "--intersections"});
    EXPECT_EQ(nothing.wait(), 2) << nothing.text();
    Command list({"check", "sphere", "--json", path("list.json")});
    EXPECT_EQ(list.wait(), 2) << list.text();
    EXPECT_NE(list.text().find("--intersections"), std::string::npos) << list.text();
}

}  // namespace
}  // namespace taffeta

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "helpers/expectations.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/load.h"

/// Every scene of tests/bad_input/scene is refused, or accepted with a warning, exactly as
/// expected.txt says: `file | exit status | message part | message part ...`.
namespace taffeta::scene {
namespace {

const std::filesystem::path folder =
    std::filesystem::path(TAFFETA_SOURCE_DIR) / "tests/bad_input/scene";

struct Outcome {
    int exit_status = 0;
    std::string text;  ///< the error, or all diagnostics
};

Outcome outcome_of(const std::string& file) {
    Outcome outcome;
    try {
        const BuiltScene built = build(load_scene((folder / file).string()));
        for (const Diagnostic& diagnostic : built.diagnostics)
            outcome.text += diagnostic.text() + "\n";
    } catch (const Error& error) {
        outcome.text = error.what();
        outcome.exit_status = error.code() == ErrorCode::bad_input ? 2
                              : error.code() == ErrorCode::io      ? 3
                                                                   : 1;
    }
    return outcome;
}

TEST(BadInput, EverySceneIsAnsweredAsExpected) {
    const std::vector<testing::Expectation> all = testing::read_expectations(folder);

    ASSERT_GT(all.size(), 80u);
    for (const testing::Expectation& expected : all) {
        const Outcome outcome = outcome_of(expected.file);

        EXPECT_EQ(outcome.exit_status, expected.exit_status)
            << expected.file << ": " << outcome.text;
        for (const std::string& part : expected.parts)
            EXPECT_NE(outcome.text.find(part), std::string::npos)
                << expected.file << ": '" << part << "' is not in: " << outcome.text;
    }
}

TEST(BadInput, EverySceneOfTheFolderIsListed) {
    std::set<std::string> listed;
    for (const testing::Expectation& expected : testing::read_expectations(folder))
        listed.insert(expected.file);

    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".json") {
            EXPECT_TRUE(listed.count(entry.path().filename().string())) << entry.path();
        }
}

/// A folder of its own for each test, removed at the end.
class SceneFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        path_ = std::filesystem::temp_directory_path() /
                ("taffeta_" + std::to_string(::getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(path_ / "scene");
    }
    void TearDown() override { std::filesystem::remove_all(path_); }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
    }
    std::string error_of(const std::string& name, bool allow_outside = false) const {
        try {
            build(load_scene((path_ / name).string(), {}, allow_outside));
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }

    std::filesystem::path path_;
};

const char* triangle = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nvt 0 0\nvt .1 0\nvt 0 .1\nf 1/1 2/2 3/3\n";

TEST_F(SceneFiles, ALinkOutOfTheFolderIsRefusedUnlessAllowed) {
    write("outside.obj", triangle);
    write("scene/a.json", R"({"bodies": [{"mesh": {"file": "link.obj"}}]})");
    std::filesystem::create_symlink("../outside.obj", path_ / "scene/link.obj");

    const std::string refused = error_of("scene/a.json");
    const std::string allowed = error_of("scene/a.json", true);

    EXPECT_NE(refused.find("a.json:1:31"), std::string::npos) << refused;
    EXPECT_NE(refused.find("a link that leads out of the scene's folder"), std::string::npos);
    EXPECT_EQ(allowed, "no error");
}

TEST_F(SceneFiles, ALinkWithinTheFolderIsFollowed) {
    write("scene/real.obj", triangle);
    write("scene/a.json", R"({"bodies": [{"mesh": {"file": "link.obj"}}]})");
    std::filesystem::create_symlink("real.obj", path_ / "scene/link.obj");

    EXPECT_EQ(error_of("scene/a.json"), "no error");
}

TEST_F(SceneFiles, DevicesAndPipesAreNeverOpened) {
    write("scene/device.json", R"({"bodies": [{"mesh": {"file": "/dev/zero"}}]})");
    ASSERT_EQ(::mkfifo((path_ / "scene/pipe.json").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo((path_ / "scene/pipe.obj").c_str(), 0600), 0);
    write("scene/mesh_pipe.json", R"({"bodies": [{"mesh": {"file": "pipe.obj"}}]})");

    EXPECT_NE(error_of("scene/device.json", true).find("is a device"), std::string::npos);
    EXPECT_NE(error_of("scene/pipe.json").find("is a pipe"), std::string::npos);
    EXPECT_NE(error_of("scene/mesh_pipe.json").find("is a pipe"), std::string::npos);
    EXPECT_NE(error_of("scene").find("is a folder"), std::string::npos);
}

TEST_F(SceneFiles, AMissingSceneNamesItsNeighbour) {
    write("scene/shirt.json", "{}");

    const std::string message = error_of("scene/shrit.json");

    EXPECT_NE(message.find("there is no file"), std::string::npos) << message;
    EXPECT_NE(message.find("did you mean 'shirt.json'?"), std::string::npos) << message;
}

TEST_F(SceneFiles, AHugeFileIsRefusedBeforeItIsRead) {
    write("scene/huge.json", "");
    std::filesystem::resize_file(path_ / "scene/huge.json", std::uintmax_t(1) << 40);

    EXPECT_NE(error_of("scene/huge.json").find("is more than"), std::string::npos);
}

}  // namespace
}  // namespace taffeta::scene

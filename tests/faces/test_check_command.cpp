#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "faces/command.h"
#include "helpers/expectations.h"

/// `taffeta check` from outside, over the corpus of bad meshes.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

fs::path corpus() {
    return fs::path(TAFFETA_SOURCE_DIR) / "tests/bad_input/mesh";
}

TEST(CheckCommand, SaysWhatIsWrongWithEveryBadMesh) {
    const std::vector<testing::Expectation> all = testing::read_expectations(corpus());
    EXPECT_GT(all.size(), 60u);
    for (const testing::Expectation& expected : all) {
        Command check({"check", (corpus() / expected.file).string()});

        EXPECT_EQ(check.wait(), expected.exit_status) << expected.file << "\n" << check.text();
        for (const std::string& part : expected.parts)
            EXPECT_NE(check.text().find(part), std::string::npos)
                << expected.file << ": nothing says '" << part << "'\n"
                << check.text();
        EXPECT_EQ(check.text().find('\x1b'), std::string::npos) << expected.file;
    }
}

class CheckFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(::testing::TempDir()) / ("taffeta_check_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string file(const char* name) const { return (folder_ / name).string(); }

    fs::path folder_;
};

TEST_F(CheckFiles, ExtensionsMayBeWrittenInCapitals) {
    fs::copy_file(corpus() / "one_triangle.obj", file("MESH.OBJ"));

    Command check({"check", file("MESH.OBJ")});

    EXPECT_EQ(check.wait(), 0) << check.text();
    EXPECT_NE(check.text().find("3 vertices, 1 faces"), std::string::npos) << check.text();
}

TEST_F(CheckFiles, WeldsAsTheHintsSay) {
    const std::string mesh = (corpus() / "duplicate_vertices.obj").string();

    Command weld({"check", mesh, "--repair", file("welded.obj"), "--weld", "1e-6"});
    EXPECT_EQ(weld.wait(), 0) << weld.text();
    EXPECT_NE(weld.text().find("welded"), std::string::npos) << weld.text();

    Command again({"check", file("welded.obj")});
    EXPECT_EQ(again.wait(), 0);
    EXPECT_EQ(again.text().find("coincide"), std::string::npos) << again.text();

    Command nothing({"check", mesh, "--weld", "1e-6"});
    EXPECT_EQ(nothing.wait(), 2);
    EXPECT_NE(nothing.text().find("--repair OUT"), std::string::npos) << nothing.text();
}

}  // namespace
}  // namespace taffeta

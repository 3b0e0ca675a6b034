#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "faces/command.h"

/// `taffeta check` from outside, over the corpus of bad meshes.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

fs::path corpus() {
    return fs::path(TAFFETA_SOURCE_DIR) / "tests/bad_input/mesh";
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? ""
                                      : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

TEST(CheckCommand, SaysWhatIsWrongWithEveryBadMesh) {
    std::ifstream expected(corpus() / "expected.txt");
    int files = 0;
    for (std::string line; std::getline(expected, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream columns(line);
        std::string file, status, part;
        std::getline(columns, file, '|');
        std::getline(columns, status, '|');
        ++files;

        Command check({"check", (corpus() / trimmed(file)).string()});

        EXPECT_EQ(check.wait(), std::stoi(status)) << file << "\n" << check.text();
        while (std::getline(columns, part, '|'))
            EXPECT_NE(check.text().find(trimmed(part)), std::string::npos)
                << file << ": nothing says '" << trimmed(part) << "'\n"
                << check.text();
        EXPECT_EQ(check.text().find('\x1b'), std::string::npos) << file;
    }
    EXPECT_GT(files, 60);
}

class CheckFiles : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("taffeta_check_" + std::to_string(::getpid()));
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

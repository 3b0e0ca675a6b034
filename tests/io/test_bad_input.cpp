#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "helpers/expectations.h"
#include "taffeta/io/format.h"
#include "taffeta/mesh/validate.h"

/// The corpus of tests/bad_input/mesh, whose expected.txt also serves the command's own test.
namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

fs::path corpus() {
    return fs::path(TAFFETA_SOURCE_DIR) / "tests/bad_input/mesh";
}

/// Reads and checks a file as the command does: its messages, and the exit status.
int check(const fs::path& file, std::string& messages) {
    Diagnostics found;
    int status = 0;
    try {
        const mesh::TriMesh mesh = read_mesh(file, found);
        for (const Diagnostic& one : mesh::validate(mesh))
            found.push_back(one);
    } catch (const Error& error) {
        messages += std::string(error.what()) + "\n";
        status = error.code() == ErrorCode::bad_input ? 2 : 3;
    }
    for (const Diagnostic& one : found) {
        messages += one.text() + "\n";
        if (one.severity == Severity::error) status = 2;
    }
    return status;
}

TEST(BadInput, EveryFileGetsItsMessage) {
    for (const testing::Expectation& expected : testing::read_expectations(corpus())) {
        std::string messages;

        const int status = check(corpus() / expected.file, messages);

        EXPECT_EQ(status, expected.exit_status) << expected.file << "\n" << messages;
        for (const std::string& part : expected.parts)
            EXPECT_NE(messages.find(part), std::string::npos)
                << expected.file << ": nothing says '" << part << "'\n"
                << messages;
        EXPECT_EQ(messages.find('\x1b'), std::string::npos) << expected.file;
    }
}

TEST(BadInput, EveryFileIsExpected) {
    std::set<std::string> listed = {"expected.txt"};
    for (const testing::Expectation& expected : testing::read_expectations(corpus()))
        listed.insert(expected.file);

    for (const auto& entry : fs::directory_iterator(corpus()))
        EXPECT_TRUE(listed.count(entry.path().filename().string())) << entry.path();
    EXPECT_GT(listed.size(), 60u);
}

TEST(BadInput, WhatIsNoFileIsRefusedBeforeReading) {
    const fs::path folder = fs::path(::testing::TempDir()) / "taffeta_no_files";
    fs::remove_all(folder);
    fs::create_directories(folder / "folder.obj");
    ASSERT_EQ(mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", folder / "zero.obj");
    fs::create_symlink("nowhere", folder / "dangling.obj");
    const auto message = [&](const char* name) {
        std::string messages;
        EXPECT_EQ(check(folder / name, messages), 2) << name;
        return messages;
    };

    EXPECT_NE(message("folder.obj").find("it is a folder"), std::string::npos);
    EXPECT_NE(message("pipe.obj").find("it is a pipe"), std::string::npos);
    EXPECT_NE(message("zero.obj").find("it is a device"), std::string::npos);
    EXPECT_NE(message("dangling.obj").find("No such file"), std::string::npos);
    EXPECT_NE(message("missing.ply").find("No such file"), std::string::npos);
    fs::remove_all(folder);
}

/// A line of 65 MiB is refused, one of 1 MiB is not.
TEST(BadInput, LinesHaveALimit) {
    const fs::path file = fs::path(::testing::TempDir()) / "taffeta_long_line.obj";
    const auto status = [&](std::size_t size, std::string& messages) {
        std::ofstream(file) << "#" << std::string(size, 'x')
                            << "\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        return check(file, messages);
    };
    std::string short_messages, long_messages;

    EXPECT_EQ(status(std::size_t(1) << 20, short_messages), 0);
    EXPECT_EQ(status(std::size_t(65) << 20, long_messages), 2);
    EXPECT_NE(long_messages.find("at most 64 MiB"), std::string::npos);
    fs::remove(file);
}

}  // namespace
}  // namespace taffeta::io

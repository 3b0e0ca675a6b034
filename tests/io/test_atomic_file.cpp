#include "taffeta/io/atomic_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "taffeta/base/error.h"

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::path(testing::TempDir()) / (std::string("taffeta_atomic_") + test->name());
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string content(const fs::path& path) const {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }
    std::ptrdiff_t file_count() const {
        return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    }

    fs::path folder_;
};

TEST_F(AtomicFileTest, CommitReplacesTheOldFileWhole) {
    const fs::path path = folder_ / "a.txt";
    std::ofstream(path) << "old";

    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(content(path), "old");
    file.commit();

    EXPECT_EQ(content(path), "new");
    EXPECT_EQ(file_count(), 1);
}

TEST_F(AtomicFileTest, WithoutCommitNothingIsLeft) {
    const fs::path path = folder_ / "a.txt";

    {
        AtomicFile file(path);
        file.write("half");
    }

    EXPECT_EQ(file_count(), 0);
}

TEST_F(AtomicFileTest, PiecesOfAnySizeArriveInOrder) {
    const fs::path path = folder_ / "a.bin";
    std::string expected;

    AtomicFile file(path);
    for (const std::size_t size : {1u, 300000u, 7u, 262144u, 262143u, 1u, 0u}) {
        const std::string piece(size, char('a' + expected.size() % 26));
        file.write(piece);
        expected += piece;
    }
    file.commit();

    EXPECT_EQ(content(path), expected);
}

TEST_F(AtomicFileTest, FailuresAreIoErrorsWithTheReason) {
    const auto reason = [](const fs::path& path) -> std::string {
        try {
            AtomicFile file(path);
            file.write(std::string(1 << 20, 'x'));
            file.commit();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::io);
            return error.what();
        }
        return "no error";
    };

    EXPECT_NE(reason(folder_ / "missing" / "a.txt").find("No such file"), std::string::npos);
    EXPECT_NE(reason(folder_).find("not a regular file"), std::string::npos);
    EXPECT_NE(reason("/dev/null").find("not a regular file"), std::string::npos);
}

}  // namespace
}  // namespace taffeta::io

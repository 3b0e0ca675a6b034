#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "faces/command.h"

/// `taffeta bench ccd` from outside: what it reads, writes and refuses.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

class BenchCcdCommand : public testing::Test {
  protected:
    void SetUp() override {
        folder_ =
            fs::path(testing::TempDir()) / ("taffeta_bench_ccd_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string file(const char* name) const { return (folder_ / name).string(); }

    /// A vertex that falls from height 1 to `end` over a face, as the format has it.
    static std::string query(std::int32_t kind, std::int32_t label, double end) {
        std::string bytes(reinterpret_cast<const char*>(&kind), 4);
        bytes.append(reinterpret_cast<const char*>(&label), 4);
        const double face[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        for (const double z : {1.0, end}) {
            const double vertex[3] = {0.25, 0.25, z};
            bytes.append(reinterpret_cast<const char*>(vertex), sizeof vertex);
            bytes.append(reinterpret_cast<const char*>(face), sizeof face);
        }
        return bytes;
    }
    void write(const char* name, const std::string& bytes) const {
        std::ofstream(file(name), std::ios::binary) << bytes;
    }
    std::string read(const char* name) const {
        std::ifstream stream(file(name));
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    static double number(const std::string& json, const std::string& key) {
        const std::size_t at = json.find("\"" + key + "\": ");
        if (at == std::string::npos) return -1;
        return std::stod(json.substr(at + key.size() + 4));
    }

  private:
    fs::path folder_;
};

TEST_F(BenchCcdCommand, CountsAndNamesTheLabelsItDisagreesWith) {
    write("queries.bin", query(0, 1, -1) + query(0, 0, 0.5) + query(0, 0, 0) + query(0, 1, 1e-9));

    Command command({"bench", "ccd", "--queries", file("queries.bin"), "--json", file("ccd.json")});

    ASSERT_EQ(command.wait(), 0) << command.text();
    const std::string json = read("ccd.json");
    EXPECT_EQ(number(json, "queries"), 4);
    EXPECT_EQ(number(json, "false_positives"), 1);  // the third touches at its end
    EXPECT_EQ(number(json, "false_negatives"), 1);
    for (const char* key : {"mean_us", "median_us", "p99_us", "max_us"})
        EXPECT_GT(number(json, key), 0) << key;
    EXPECT_LE(number(json, "median_us"), number(json, "p99_us"));
    EXPECT_LE(number(json, "p99_us"), number(json, "max_us"));
    EXPECT_NE(json.find("\"query\": 2"), std::string::npos) << json;
    EXPECT_NE(json.find("\"query\": 3"), std::string::npos) << json;
    EXPECT_EQ(json.find("\"query\": 0"), std::string::npos) << json;
}

TEST_F(BenchCcdCommand, RefusesFilesOfAnotherFormat) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::pair<std::string, const char*> wrong[] = {
        {query(0, 1, -1).substr(0, 199), "not a multiple of 200"},
        {query(0, 1, -1) + query(2, 1, -1), "query 1: its kind is 2"},
        {query(0, 7, -1), "query 0: its label is 7"},
        {query(0, 1, nan), "query 0: a coordinate is nan"},
        {std::string("\xFD"
                     "7zXZ\0 and no more",
                     18),
         ""},
    };
    for (const auto& [bytes, part] : wrong) {
        write("queries.bin", bytes);

        Command command({"bench", "ccd", "--queries", file("queries.bin")});

        EXPECT_EQ(command.wait(), 2) << command.text();
        EXPECT_NE(command.text().find(part), std::string::npos) << command.text();
        EXPECT_NE(command.text().find("queries.bin"), std::string::npos) << command.text();
    }
}

/// The published queries with exact answers: both ways, with the filter and without.
TEST_F(BenchCcdCommand, IsRightOnThePublishedQueries) {
    const fs::path queries = fs::path(TAFFETA_DATA_DIR) / "data/ccd/queries.bin.xz";
    if (!fs::exists(queries)) GTEST_SKIP() << "optional data is absent: " << queries;
    for (const bool exact : {false, true}) {
        std::vector<std::string> words = {"bench",          "ccd",    "--queries",
                                          queries.string(), "--json", file("ccd.json")};
        if (exact) words.emplace_back("--exact-only");

        Command command(words);
        const int status = command.wait();

        if (command.text().find("no liblzma") != std::string::npos)
            GTEST_SKIP() << "built without liblzma";
        ASSERT_EQ(status, 0) << command.text();
        const std::string json = read("ccd.json");
        EXPECT_EQ(number(json, "queries"), 4324);
        EXPECT_EQ(number(json, "false_positives"), 0);
        EXPECT_EQ(number(json, "false_negatives"), 0);
    }
}

}  // namespace
}  // namespace taffeta

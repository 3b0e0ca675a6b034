#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "faces/command.h"

/// `taffeta bench table1` from outside: its records, their names, and what it refuses.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

class BenchCommand : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("taffeta_bench_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string file(const char* name) const { return (folder_ / name).string(); }

    using Record = std::map<std::string, std::string>;
    std::vector<Record> lines_of(const std::string& name) const {
        std::ifstream stream(name);
        const auto cells = [](const std::string& line) {
            std::vector<std::string> parts;
            std::istringstream text(line);
            for (std::string part; std::getline(text, part, ',');)
                parts.push_back(part);
            return parts;
        };
        std::string line;
        std::getline(stream, line);
        const std::vector<std::string> names = cells(line);
        std::vector<Record> records;
        while (std::getline(stream, line)) {
            const std::vector<std::string> values = cells(line);
            EXPECT_EQ(values.size(), names.size());
            Record& record = records.emplace_back();
            for (std::size_t k = 0; k < names.size() && k < values.size(); ++k)
                record[names[k]] = values[k];
        }
        return records;
    }

  private:
    fs::path folder_;
};

TEST_F(BenchCommand, WritesARecordForEverySolver) {
    Command command({"bench", "table1", "--scenes", "table", "--vertices", "961", "--solvers",
                     "diag,sa,sa:unfiltered", "--steps", "3", "--threads", "1", "--csv",
                     file("table.csv"), "--json", file("table.json")});
    while (!command.line().empty()) {
    }
    ASSERT_EQ(command.wait(), 0);

    const std::vector<Record> records = lines_of(file("table.csv"));

    ASSERT_EQ(records.size(), 3U);
    for (const Record& record : records) {
        for (const char* name :
             {"scene", "vertices", "tessellation", "solver", "threads", "iterations", "rate",
              "setup_s", "prefilter_s", "solve_s", "total_s", "memory_bytes", "a_norm_error",
              "equal_error_s", "equal_error_speedup", "speedup_over_diag", "converged"})
            EXPECT_TRUE(record.contains(name)) << name;
        const auto number = [&](const char* name) { return std::stod(record.at(name)); };
        EXPECT_EQ(record.at("converged"), "true");
        EXPECT_EQ(number("vertices"), 961);
        EXPECT_GT(number("prefilter_s"), 0);
        EXPECT_LE(number("prefilter_s"), number("solve_s"));
        EXPECT_NEAR(number("total_s"), number("setup_s") + number("solve_s"), 1e-9);
        EXPECT_LE(number("a_norm_error"), 1e-3);
        EXPECT_GT(number("equal_error_s"), 0);
    }
    EXPECT_EQ(std::stod(records[0].at("speedup_over_diag")), 1);
    EXPECT_EQ(records[1].at("solver"), "\"sa\"");
    EXPECT_LT(std::stod(records[1].at("iterations")), std::stod(records[2].at("iterations")));
    std::ifstream json(file("table.json"));
    const std::string text{std::istreambuf_iterator<char>(json), {}};
    EXPECT_NE(text.find("\"solver\": \"sa:unfiltered\""), std::string::npos);
}

TEST_F(BenchCommand, RefusesUnknownNamesBeforeAnyWork) {
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{"--solvers", "diag,multigird"},
          std::vector<std::string>{"--scenes", "pined"},
          std::vector<std::string>{"--every", "90", "--steps", "3"},
          std::vector<std::string>{"--solvers", "sa", "--every", "3"},
          std::vector<std::string>{"--solvers", "diag", "--every", "3"}}) {
        std::vector<std::string> words = {"bench", "table1", "--vertices", "100"};
        words.insert(words.end(), wrong.begin(), wrong.end());
        Command command(words);
        std::string all;
        for (std::string line = command.line(); !line.empty(); line = command.line())
            all += line + "\n";

        EXPECT_EQ(command.wait(), 2) << all;
        EXPECT_NE(all.find(wrong[1].substr(wrong[1].find(',') + 1)), std::string::npos) << all;
    }
}

TEST_F(BenchCommand, MeasuresBlockJacobiInSomeStepsOnly) {
    Command command({"bench", "table1", "--scenes", "pinned", "--vertices", "121", "--solvers",
                     "diag,sa", "--steps", "7", "--every", "3", "--threads", "1", "--csv",
                     file("table.csv")});
    while (!command.line().empty()) {
    }
    ASSERT_EQ(command.wait(), 0);

    const std::vector<Record> records = lines_of(file("table.csv"));

    ASSERT_EQ(records.size(), 2U);
    const auto number = [&](int row, const char* name) {
        return std::stod(records[std::size_t(row)].at(name));
    };
    EXPECT_EQ(number(0, "solves"), 2);  // of the systems 1 and 4 of 0 to 6
    EXPECT_EQ(number(1, "solves"), 7);
    EXPECT_NEAR(number(1, "speedup_over_diag"), number(0, "total_s") / number(1, "total_s"), 1e-9);
    // Of the last system, which it did not solve in turn.
    EXPECT_LE(number(0, "a_norm_error"), 1e-3);
}

/// Its solvers know what those of a run know, also of the springs of contact: they take as many iterations, but
/// for what a run puts down at the end of each frame.
TEST_F(BenchCommand, SolversUnderContactAreThoseOfARun) {
    Command bench({"bench", "table1", "--scenes", "drop-vertical", "--vertices", "961", "--solvers",
                   "sa", "--frames", "9", "--set", "contact.self.stiffness=100000", "--threads",
                   "1", "--csv", file("contact.csv")});
    while (!bench.line().empty()) {
    }
    ASSERT_EQ(bench.wait(), 0);
    Command run({"run", "drop-vertical", "--frames", "9", "--set", "solver.preconditioner=sa",
                 "--set", "contact.self.stiffness=100000", "-o", file("run"), "--threads", "1",
                 "--quiet"});
    ASSERT_EQ(run.wait(), 0) << run.text();

    std::ifstream stats(file("run") + "/stats.jsonl");
    double iterations = 0, steps = 0, springs = 0;
    const auto number = [](const std::string& line, const std::string& key) {
        return std::stod(line.substr(line.find("\"" + key + "\":") + key.size() + 3));
    };
    for (std::string line; std::getline(stats, line); ++steps) {
        iterations += number(line, "iterations");
        springs += number(line, "springs");
    }

    ASSERT_GT(springs, 1000);
    const std::vector<Record> records = lines_of(file("contact.csv"));
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(std::stod(records[0].at("solves")), steps);
    EXPECT_NEAR(std::stod(records[0].at("iterations")), iterations / steps,
                0.05 * iterations / steps);
}

TEST_F(BenchCommand, DrawsItsRecords) {
    const std::string picture = file("table.svg");
    Command command({"bench", "table1", "--scenes", "pinned,drooping", "--vertices", "121,256",
                     "--solvers", "diag,sa", "--steps", "2", "--plot", picture});
    std::string said;
    for (std::string line = command.line(); !line.empty(); line = command.line())
        said += line;
    const int status = command.wait();
    if (said.find("gnuplot-nox") != std::string::npos) GTEST_SKIP() << "gnuplot is not installed";

    ASSERT_EQ(status, 0) << said;
    std::ifstream stream(picture);
    const std::string svg{std::istreambuf_iterator<char>(stream), {}};
    for (const char* words : {"pinned", "drooping", "milliseconds a solve", "iterations",
                              "parts of a solve at 256 vertices", "sa: set-up", "diag: iterations"})
        EXPECT_NE(svg.find(words), std::string::npos) << words;
}

TEST_F(BenchCommand, RefusesAPictureOfAnotherKindBeforeAnyWork) {
    Command command({"bench", "table1", "--scenes", "pinned", "--vertices", "121", "--steps", "1",
                     "--plot", file("table.gif")});
    std::string said;
    for (std::string line = command.line(); !line.empty(); line = command.line())
        said += line;

    EXPECT_EQ(command.wait(), 2);
    EXPECT_NE(said.find(".svg or .png"), std::string::npos) << said;
    EXPECT_EQ(said.find("pinned"), std::string::npos) << said;
}

}  // namespace
}  // namespace taffeta

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "faces/command.h"

/// `taffeta bench solvers` from outside: its rows, and that nobody in them is wrong. Peers take part
/// where this build has them.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

class BenchSolversCommand : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("taffeta_peers_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string file(const char* name) const { return (folder_ / name).string(); }

    /// Runs the command to its end; what it said.
    static std::string run(const std::vector<std::string>& words, int& status) {
        std::vector<std::string> all = {"bench", "solvers"};
        all.insert(all.end(), words.begin(), words.end());
        Command command(all);
        status = command.wait();
        return command.text();
    }

    using Row = std::map<std::string, std::string>;
    static std::vector<std::string> cells(const std::string& line) {
        std::vector<std::string> parts(1);
        bool quoted = false;
        for (const char c : line) {
            if (c == '"')
                quoted = !quoted;
            else if (c == ',' && !quoted)
                parts.emplace_back();
            else
                parts.back() += c;
        }
        return parts;
    }
    static std::vector<Row> rows_of(const std::string& name) {
        std::ifstream stream(name);
        std::string line;
        std::getline(stream, line);
        const std::vector<std::string> names = cells(line);
        std::vector<Row> rows;
        while (std::getline(stream, line)) {
            const std::vector<std::string> values = cells(line);
            EXPECT_EQ(values.size(), names.size()) << line;
            Row& row = rows.emplace_back();
            for (std::size_t k = 0; k < names.size() && k < values.size(); ++k)
                row[names[k]] = values[k];
        }
        return rows;
    }
    static void expect_solved(const Row& row) {
        const std::string who = row.at("solver") + ", " + row.at("settings");
        EXPECT_EQ(row.at("failure"), "") << who;
        // The stop is 1e-5 in a norm of each solver's own: far from any of these, all the same.
        EXPECT_LE(std::stod(row.at("residual")), 1e-3) << who;
        EXPECT_LE(std::stod(row.at("a_norm_error")), 1e-3) << who;
        EXPECT_NEAR(std::stod(row.at("total_s")),
                    std::stod(row.at("setup_s")) + std::stod(row.at("solve_s")), 1e-9)
            << who;
    }

  private:
    fs::path folder_;
};

TEST_F(BenchSolversCommand, EverySolverAndEveryPeerSolvesTheSameSystems) {
    int status = 0;

    const std::string said =
        run({"--scenes", "pinned,table", "--vertices", "441", "--steps", "2", "--skip", "2",
             "--repeats", "2", "--csv", file("rows.csv"), "--json", file("rows.json")},
            status);

    ASSERT_EQ(status, 0) << said;
    const std::vector<Row> rows = rows_of(file("rows.csv"));
    int peers = 0;
    for (const Row& row : rows) {
        expect_solved(row);
        EXPECT_EQ(row.at("vertices"), "441");
        EXPECT_EQ(row.at("threads"), "1");
        peers += row.at("settings").empty() ? 0 : 1;
    }
    ASSERT_GE(rows.size(), 6U);
    EXPECT_EQ(rows[0].at("solver"), "auto");
    EXPECT_EQ(rows[0].at("times_ours"), "1");
    std::ifstream json(file("rows.json"));
    const std::string text{std::istreambuf_iterator<char>(json), {}};
    EXPECT_NE(text.find("\"a_norm_error\""), std::string::npos);
    // Each of the three is in the table or said to be absent.
    for (const char* name : {"PETSc GAMG", "hypre BoomerAMG", "Trilinos ML"})
        EXPECT_TRUE(said.find("peer: " + std::string(name)) != std::string::npos ||
                    said.find("absent: " + std::string(name)) != std::string::npos)
            << said;
    EXPECT_EQ(peers > 0, said.find("peer: ") != std::string::npos);
}

TEST_F(BenchSolversCommand, RunsWithoutPeersAndSaysOnWhatThreads) {
    int status = 0;

    const std::string said = run({"--vertices", "121", "--peers", "none", "--solvers", "diag,sa",
                                  "--threads", "1,2", "--repeats", "1", "--csv", file("rows.csv")},
                                 status);

    ASSERT_EQ(status, 0) << said;
    const std::vector<Row> rows = rows_of(file("rows.csv"));
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].at("threads") + rows[2].at("threads"), "12");
    // The same bits for any number of threads.
    EXPECT_EQ(rows[1].at("residual"), rows[3].at("residual"));
    EXPECT_EQ(said.find("peer: "), std::string::npos) << said;
}

TEST_F(BenchSolversCommand, HandsOnTheSpringsOfContact) {
    // Far stiffer than the sheets: who is not told of them takes several times the iterations.
    int status = 0;

    const std::string said =
        run({"--scenes", "stack", "--vertices", "490", "--set", "contact.self.stiffness=100000",
             "--skip", "90", "--repeats", "1", "--peers", "none", "--solvers",
             R"({"type":"sa"};{"type":"sa","stiff_terms":false})", "--csv", file("rows.csv")},
            status);

    ASSERT_EQ(status, 0) << said;
    const std::vector<Row> rows = rows_of(file("rows.csv"));
    ASSERT_EQ(rows.size(), 2U);
    for (const Row& row : rows)
        expect_solved(row);
    EXPECT_GE(std::stoi(rows[1].at("iterations")), 2 * std::stoi(rows[0].at("iterations")));
}

TEST_F(BenchSolversCommand, TakesASystemFromFiles) {
    std::ofstream(file("A.mtx")) << "%%MatrixMarket matrix coordinate real symmetric\n"
                                    "6 6 7\n1 1 4\n2 2 4\n3 3 4\n4 4 4\n5 5 4\n6 6 4\n4 1 -1\n";
    std::ofstream(file("b.mtx")) << "%%MatrixMarket matrix array real general\n"
                                    "6 1\n1\n2\n3\n4\n5\n6\n";
    int status = 0;

    const std::string said = run({"--matrix", file("A.mtx"), file("b.mtx"), "--peers", "none",
                                  "--solvers", "ldlt,diag", "--csv", file("rows.csv")},
                                 status);

    ASSERT_EQ(status, 0) << said;
    const std::vector<Row> rows = rows_of(file("rows.csv"));
    ASSERT_EQ(rows.size(), 2U);
    for (const Row& row : rows) {
        expect_solved(row);
        EXPECT_EQ(row.at("vertices"), "2");
        EXPECT_EQ(row.at("scene"), file("A.mtx"));
    }
    EXPECT_LE(std::stod(rows[0].at("residual")), 1e-14);
}

TEST_F(BenchSolversCommand, RefusesUnknownNamesBeforeAnyWork) {
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{"--peers", "petscc"},
          std::vector<std::string>{"--solvers", "multigird"},
          std::vector<std::string>{"--scenes", "pined", "--peers", "none"}}) {
        int status = 0;

        const std::string said = run(wrong, status);

        EXPECT_EQ(status, 2) << said;
        EXPECT_NE(said.find(wrong[1]), std::string::npos) << said;
    }
}

}  // namespace
}  // namespace taffeta

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "faces/command.h"

/// `taffeta bench physics` from outside: its rows, its page, and what it refuses.
namespace taffeta {
namespace {

namespace fs = std::filesystem;
using test::Command;

std::string content(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class BenchPhysicsCommand : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / ("taffeta_physics_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path folder_;
};

TEST_F(BenchPhysicsCommand, PutsPublishedAndMeasuredValuesSideBySide) {
    Command command({"bench", "physics", "hanging_strip", "solid_beam", "--quick", "--csv",
                     (folder_ / "rows.csv").string(), "--json", (folder_ / "rows.json").string(),
                     "--page", (folder_ / "page.md").string()});
    const int status = command.wait();
    const std::string& said = command.text();
    if (status == 2 && said.find("gnuplot-nox") != std::string::npos)
        GTEST_SKIP() << "gnuplot is not installed";

    ASSERT_EQ(status, 0) << said;
    EXPECT_NE(said.find("8 of 8 published values are met in 2 cases"), std::string::npos) << said;
    const std::string rows = content(folder_ / "rows.csv"), page = content(folder_ / "page.md");
    EXPECT_EQ(rows.substr(0, rows.find('\n')),
              "case,quantity,setup,published,measured,limit,passes");
    EXPECT_NE(rows.find("hanging_strip,\"stretch of the strip, m\",regular 4 x 20,0.014715,"),
              std::string::npos)
        << rows;
    EXPECT_NE(content(folder_ / "rows.json").find("\"passes\": true"), std::string::npos);
    EXPECT_NE(page.find("## Hanging strip"), std::string::npos);
    EXPECT_NE(page.find("images/physics/solid_beam.png"), std::string::npos);
    EXPECT_TRUE(fs::exists(folder_ / "images" / "physics" / "solid_beam.png"));
    // Pictures are named where there are some.
    EXPECT_EQ(page.find("images/physics/hanging_strip.png"), std::string::npos);
}

TEST_F(BenchPhysicsCommand, GoesOnFromTheJournalOfItsStarts) {
    const fs::path journal = folder_ / "starts.csv";
    const std::string head =
        "scene,vertices,start,status,iterations,refused,gradient,floor,rise,seconds\n";
    // The first start of the drape is told to have failed; an interrupt cut the next line.
    const std::string failed = "cusick,400,1,stalled,7,0,0.5,0,1e-16,0.1\n";
    std::ofstream(journal) << head << failed << "cusick,400,2,conv";

    Command command({"bench", "physics", "equilibria", "--quick", "--starts", "2", "--journal",
                     journal.string()});
    const int status = command.wait();

    EXPECT_EQ(status, 1) << command.text();
    EXPECT_NE(command.text().find("3 of 4 published values are met"), std::string::npos)
        << command.text();
    const std::string rows = content(journal);
    EXPECT_EQ(rows.rfind(head + failed + "cusick,400,2,converged,", 0), 0u) << rows;
    EXPECT_NE(rows.find("\ncantilever,400,1,"), std::string::npos) << rows;
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 5) << rows;
}

TEST_F(BenchPhysicsCommand, RefusesAJournalThatIsNone) {
    std::ofstream(folder_ / "letter.txt") << "Dear reader,\n";

    Command command({"bench", "physics", "equilibria", "--quick", "--journal",
                     (folder_ / "letter.txt").string()});

    EXPECT_EQ(command.wait(), 2);
    EXPECT_NE(command.text().find("is no journal of random starts"), std::string::npos)
        << command.text();
    EXPECT_EQ(content(folder_ / "letter.txt"), "Dear reader,\n");
}

TEST_F(BenchPhysicsCommand, NamesItsCasesAndRefusesOthers) {
    Command list({"bench", "physics", "--list"});
    Command wrong({"bench", "physics", "hanging_stripe"});

    EXPECT_EQ(list.wait(), 0);
    EXPECT_EQ(wrong.wait(), 2);
    const std::string &listed = list.text(), &said = wrong.text();
    for (const char* name : {"heavy_cantilever", "bending_length", "slope"})
        EXPECT_NE(listed.find(name), std::string::npos) << listed;
    EXPECT_NE(said.find("did you mean 'hanging_strip'?"), std::string::npos) << said;
}

}  // namespace
}  // namespace taffeta

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "taffeta/scene/run_directory.h"

/// A damaged checkpoint costs the steps since the one before it, never the run.
namespace taffeta::scene {
namespace {

namespace fs = std::filesystem;

class Checkpoints : public testing::Test {
  protected:
    void SetUp() override {
        folder_ =
            fs::path(testing::TempDir()) / ("taffeta_checkpoints_" + std::to_string(::getpid()));
        fs::remove_all(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    RunDirectory with_checkpoints(const std::vector<long>& steps) const {
        RunDirectory run = RunDirectory::create(folder_, "{}\n", false);
        for (const long step : steps)
            run.save_checkpoint(step, scene, std::string("state ") + std::to_string(step));
        return run;
    }
    fs::path file(const char* name) const { return folder_ / "checkpoint" / name; }
    static std::string state(const RunDirectory::Loaded& loaded) {
        return {loaded.state.begin(), loaded.state.end()};
    }

    static constexpr std::uint64_t scene = 42;
    fs::path folder_;
};

TEST_F(Checkpoints, TheTwoNewestAreKept) {
    const RunDirectory run = with_checkpoints({9, 10, 100});
    Diagnostics findings;

    EXPECT_FALSE(fs::exists(file("step-0000000009.ckpt")));
    EXPECT_TRUE(fs::exists(file("step-0000000010.ckpt")));
    EXPECT_EQ(state(*run.load_checkpoint(scene, findings)), "state 100");
    EXPECT_TRUE(findings.empty());
}

TEST_F(Checkpoints, ADamagedOneIsPassedOverAndNamed) {
    const RunDirectory run = with_checkpoints({10, 20});
    fs::resize_file(file("step-0000000020.ckpt"), 70);
    Diagnostics findings;

    const auto loaded = run.load_checkpoint(scene, findings);

    ASSERT_TRUE(loaded);
    EXPECT_EQ(state(*loaded), "state 10");
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_NE(findings[0].text().find("step-0000000020.ckpt"), std::string::npos);
    EXPECT_NE(findings[0].text().find("truncated"), std::string::npos);
}

TEST_F(Checkpoints, OfAnotherSceneAreNotUsed) {
    const RunDirectory run = with_checkpoints({10});
    Diagnostics findings;

    EXPECT_FALSE(run.load_checkpoint(scene + 1, findings));
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_NE(findings[0].text().find("another scene"), std::string::npos);
}

TEST_F(Checkpoints, AHalfWrittenFileDoesNotCount) {
    const RunDirectory run = with_checkpoints({10});
    std::ofstream(file("step-0000000020.ckpt.tmp")) << "half";
    Diagnostics findings;

    EXPECT_EQ(state(*run.load_checkpoint(scene, findings)), "state 10");
}

}  // namespace
}  // namespace taffeta::scene

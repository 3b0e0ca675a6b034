#include <gtest/gtest.h>

#include "sim/small_world.h"

/// The clock, and what happens to steps that fail.
namespace taffeta::sim {
namespace {

using testing::particles;
using testing::scripted;
using testing::Scripted;

TimeOptions clock(double step, int retries) {
    TimeOptions time;
    time.step = step;
    time.retries = retries;
    return time;
}

TEST(Steps, AreCutUntilTheyPassAndCoverTheWholeStep) {
    Scripted run = scripted(particles({Vec3::Zero()}), clock(1, 6));
    run.integrator->longest = 0.3;

    const StepRecord record = run.simulation->step();

    EXPECT_TRUE(record.ok());
    EXPECT_EQ(run.integrator->refused, (std::vector<double>{1, 0.5}));
    EXPECT_EQ(run.integrator->taken, (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
    EXPECT_EQ(record.pieces, 4);
    EXPECT_EQ(record.integration.linear_solves, 4);
    EXPECT_EQ(run.simulation->world().state.t, 1);
    EXPECT_EQ(run.simulation->world().state.x[2], 0.5);  // t^2/2, exact in binary
}

TEST(Steps, ThatFailForGoodLeaveTheWorldAndTheHistoryAsTheyWere) {
    Scripted run = scripted(particles({Vec3(1, 2, 3)}), clock(1, 3));
    ASSERT_TRUE(run.simulation->step().ok());
    const std::vector<char> before = run.simulation->save();
    run.integrator->longest = 0.3;
    run.integrator->wall = 1.5;  // two pieces of a quarter pass, then none

    const StepRecord record = run.simulation->step();

    EXPECT_FALSE(record.ok());
    EXPECT_EQ(run.integrator->taken.size(), 3u);  // the first step and two pieces
    EXPECT_EQ(run.simulation->save(), before);
    EXPECT_EQ(run.integrator->history(), 1);
    EXPECT_EQ(run.simulation->progress().step, 1);
    const std::string& why = run.simulation->message();
    EXPECT_NE(why.find("step 2 at t = 1 s"), std::string::npos) << why;
    EXPECT_NE(why.find("h = 0.125"), std::string::npos) << why;
    EXPECT_NE(why.find("as the script says"), std::string::npos) << why;
}

TEST(Steps, WithoutRetriesFailAtOnce) {
    TimeOptions time = clock(1, 0);
    time.frame_rate = 1;
    Scripted run = scripted(particles({Vec3::Zero()}), time);
    run.integrator->longest = 0.5;

    EXPECT_EQ(run.simulation->advance(1), RunStatus::failed);
    EXPECT_EQ(run.integrator->refused.size(), 1u);
}

TEST(Steps, FallOnMultiplesOfTheStepAfterAnyNumberOfThem) {
    Scripted run = scripted(particles({Vec3::Zero()}), clock(0.1, 0));
    for (int k = 0; k < 1000; ++k)
        run.simulation->step();

    EXPECT_EQ(run.simulation->world().state.t, 1000 * 0.1);  // a sum of tenths would be off
}

TEST(Steps, StopWhenAskedAndGoOn) {
    TimeOptions time = clock(0.25, 0);
    time.frame_rate = 1;
    time.frames = 3;
    Scripted run = scripted(particles({Vec3::Zero()}), time);

    EXPECT_EQ(run.simulation->advance(0, [&] { return run.simulation->progress().step == 5; }),
              RunStatus::interrupted);
    EXPECT_EQ(run.simulation->progress().frame, 1);
    EXPECT_EQ(run.simulation->advance(), RunStatus::done);
    EXPECT_EQ(run.simulation->progress().step, 12);
}

TEST(Steps, LoadRefusesAnotherNumberOfVertices) {
    Scripted one = scripted(particles({Vec3::Zero()}), clock(1, 0));
    Scripted two = scripted(particles({Vec3::Zero(), Vec3::Ones()}), clock(1, 0));

    try {
        one.simulation->load(two.simulation->save());
        FAIL() << "two vertices loaded into one";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_NE(std::string(error.what()).find("holds 2 vertices, the scene has 1"),
                  std::string::npos);
    }
    EXPECT_EQ(one.simulation->world().state.x, VecX::Zero(3));
}

}  // namespace
}  // namespace taffeta::sim

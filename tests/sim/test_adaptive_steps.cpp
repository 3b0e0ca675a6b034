#include <gtest/gtest.h>

#include <cmath>

#include "sim/small_world.h"

/// Steps of the size that the motion needs: frames at their times, tries taken back whole, the same bits
/// after a stop.
namespace taffeta::sim {
namespace {

using testing::particles;
using testing::scripted;
using testing::Scripted;

constexpr double tolerance = 1e-3;

/// Two frames a second; the error of a step is h^3, so that h = 0.1 is just within the tolerance.
Scripted adaptive(const ode::AdaptiveOptions& options) {
    TimeOptions time;
    time.frame_rate = 2;
    time.frames = 6;
    time.adaptive = options;
    Scripted run = scripted(particles({Vec3::Zero()}), time);
    run.integrator->error_rate = 1;
    return run;
}

ode::AdaptiveOptions by_error() {
    ode::AdaptiveOptions options;
    options.relative_tolerance = 0;
    options.absolute_position = options.absolute_velocity = tolerance;
    return options;
}

struct Watch final : Observer {
    std::vector<double> frames;
    std::vector<StepRecord> steps;
    void on_step(const World&, const StepRecord& record) override { steps.push_back(record); }
    void on_frame(const World& world, int) override { frames.push_back(world.state.t); }
};

TEST(AdaptiveSteps, MakeFramesAtTheirTimes) {
    Scripted run = adaptive(by_error());
    Watch watch;
    run.simulation->add_observer(watch);

    EXPECT_EQ(run.simulation->advance(), RunStatus::done);

    EXPECT_EQ(watch.frames, (std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5, 3}));
    // x = t^2/2 whatever the steps
    EXPECT_NEAR(run.simulation->world().state.x[2], 4.5, 1e-13);
}

TEST(AdaptiveSteps, AreAsLongAsTheToleranceAllows) {
    Scripted run = adaptive(by_error());
    Watch watch;
    run.simulation->add_observer(watch);
    ASSERT_EQ(run.simulation->advance(), RunStatus::done);

    // e = 0.9^10 where PI control rests, hence 0.07 s, or half as much where a frame ends.
    for (const StepRecord& step : watch.steps) {
        EXPECT_LE(step.h, 0.1);
        EXPECT_NEAR(step.error, std::pow(step.h, 3) / tolerance, 1e-9);
        if (step.t > 1) {
            EXPECT_GE(step.h, 0.03) << step.t;
        }
    }
    EXPECT_EQ(run.simulation->progress().step, long(watch.steps.size()));
}

TEST(AdaptiveSteps, HaveTheirShareOfATolerancePerRun) {
    ode::AdaptiveOptions options = by_error();
    options.per_run = true;
    Scripted run = adaptive(options);
    Watch watch;
    run.simulation->add_observer(watch);
    ASSERT_EQ(run.simulation->advance(), RunStatus::done);

    // h/3 of the tolerance in 3 s: the errors of all steps, h^3 each, add up to no more than it.
    double sum = 0, before = 0;
    for (const StepRecord& step : watch.steps) {
        EXPECT_NEAR(step.error, step.h * step.h * 3 / tolerance, 1e-9) << step.t;
        sum += std::pow(step.h, 3);
        before = std::max(before, step.h);
    }
    EXPECT_LE(sum, tolerance);
    EXPECT_GE(sum, 0.1 * tolerance);
    EXPECT_LE(before, std::sqrt(tolerance / 3) * (1 + 1e-12));
}

TEST(AdaptiveSteps, TakeBackTriesThatErrTooMuch) {
    ode::AdaptiveOptions options = by_error();
    options.first_step = 0.2;  // e = 8
    Scripted run = adaptive(options);
    const StepRecord record = run.simulation->step();

    EXPECT_TRUE(record.ok());
    EXPECT_EQ(record.rejected, 1);
    EXPECT_NEAR(record.h, 0.2 * 0.9 / 2, 1e-12);  // safety e^(-1/3)
    EXPECT_EQ(record.integration.force_evaluations, 2);
    EXPECT_EQ(run.simulation->progress().step, 1);
    EXPECT_EQ(run.simulation->world().state.t, record.h);
    EXPECT_NEAR(run.simulation->world().state.x[2], record.h * record.h / 2, 1e-15);
    EXPECT_EQ(run.integrator->history(), 1);
}

TEST(AdaptiveSteps, HalveWhatFailsAndStopWhenTooSmall) {
    ode::AdaptiveOptions options = by_error();
    options.first_step = 0.08;
    options.smallest_step = 0.01;
    Scripted run = adaptive(options);
    run.integrator->longest = 0.03;

    const StepRecord halved = run.simulation->step();

    EXPECT_TRUE(halved.ok());
    EXPECT_EQ(halved.failed, 2);
    EXPECT_EQ(halved.h, 0.02);

    run.integrator->longest = 0;
    const VecX before = run.simulation->world().state.x;

    const StepRecord lost = run.simulation->step();

    EXPECT_FALSE(lost.ok());
    EXPECT_EQ(run.simulation->world().state.x, before);
    EXPECT_EQ(run.simulation->progress().step, 1);
    const std::string& why = run.simulation->message();
    EXPECT_NE(why.find("smallest_step"), std::string::npos) << why;
    EXPECT_NE(why.find("as the script says"), std::string::npos) << why;
}

TEST(AdaptiveSteps, ByNewtonsCountsGrowAndShrink) {
    ode::AdaptiveOptions options;
    options.control = "newton";
    options.first_step = 0.04;
    Scripted run = adaptive(options);

    run.integrator->newton_iterations = 3;  // few
    EXPECT_EQ(run.simulation->step().h, 0.04);
    EXPECT_DOUBLE_EQ(run.simulation->step().h, 0.06);
    run.integrator->newton_iterations = 5;  // neither
    EXPECT_DOUBLE_EQ(run.simulation->step().h, 0.09);
    run.integrator->newton_iterations = 8;  // many
    EXPECT_DOUBLE_EQ(run.simulation->step().h, 0.09);
    EXPECT_DOUBLE_EQ(run.simulation->step().h, 0.045);
}

TEST(AdaptiveSteps, GoOnWithTheSameBits) {
    Scripted whole = adaptive(by_error()), first = adaptive(by_error()),
             second = adaptive(by_error());
    ASSERT_EQ(whole.simulation->advance(), RunStatus::done);

    ASSERT_EQ(first.simulation->advance(3), RunStatus::done);
    second.simulation->load(first.simulation->save());
    ASSERT_EQ(second.simulation->advance(), RunStatus::done);

    EXPECT_EQ(second.simulation->save(), whole.simulation->save());
    EXPECT_EQ(second.simulation->progress().step, whole.simulation->progress().step);
}

TEST(AdaptiveSteps, HaveALimitOfTries) {
    ode::AdaptiveOptions options = by_error();
    options.largest_step = 0.01;
    options.max_steps = 20;
    Scripted run = adaptive(options);

    EXPECT_EQ(run.simulation->advance(), RunStatus::failed);
    EXPECT_EQ(run.simulation->progress().step, 20);
    EXPECT_NE(run.simulation->message().find("20 tries"), std::string::npos)
        << run.simulation->message();
}

}  // namespace
}  // namespace taffeta::sim

#include "taffeta/contact/touch.h"

#include <gtest/gtest.h>

#include "../helpers/particles.h"

namespace taffeta::contact {
namespace {

constexpr double thickness = 1e-3;
constexpr double h = 0.02;

std::unique_ptr<Obstacle> plane(const Vec3& velocity = Vec3::Zero()) {
    Settings options = Settings::object();
    Settings start = Settings::object(), end = Settings::object();
    start["time"] = Settings::of(0.0);
    end["time"] = Settings::of(1.0);
    end["translate"] = vector_setting(velocity);
    options["motion"]["keyframes"] = Settings::array();
    options["motion"]["keyframes"].items() = {start, end};
    return find_entry(obstacles(), "obstacle", "plane").make(options);
}

Touch touch_of(const Obstacle& obstacle, const Vec3& x, const Vec3& v,
               History history = History::none) {
    return find_touch(obstacle, {x, x + h * v, 0, h}, thickness, history);
}

TEST(FindTouch, AFallingVertexLandsOnTheOffsetSurface) {
    const Vec3 x(0, 0.05, 0), v(1, -4, 0);  // would end 30 mm below

    const Touch touch = touch_of(*plane(), x, v);

    ASSERT_EQ(touch.state, Touch::State::touching);
    EXPECT_EQ(touch.normal, Vec3(0, 1, 0));
    EXPECT_NEAR(x.y() + h * touch.normal_speed, thickness, 1e-15);
    EXPECT_EQ(touch.depth, 0);
}

TEST(FindTouch, OneThatWouldStopShortDoesNotTouch) {
    EXPECT_EQ(touch_of(*plane(), Vec3(0, 0.05, 0), Vec3(0, -2.4, 0)).state, Touch::State::away);
    EXPECT_EQ(touch_of(*plane(), Vec3(0, 0.0015, 0), Vec3(0, 1, 0)).state, Touch::State::close);
}

TEST(FindTouch, MotionOfTheObstacleCounts) {
    const auto rising = plane(Vec3(0.5, 2, 0));
    const Vec3 x(0, 0.03, 0);  // the plane comes to 40 mm within the step

    const Touch touch = touch_of(*rising, x, Vec3::Zero());

    ASSERT_EQ(touch.state, Touch::State::touching);
    EXPECT_NEAR(x.y() + h * touch.normal_speed, 2 * h + thickness, 1e-14);
    EXPECT_LT((touch.surface_velocity - Vec3(0.5, 2, 0)).norm(), 1e-12);
    EXPECT_EQ(touch_of(*rising, x, Vec3(0, 2, 0)).state, Touch::State::away);
}

TEST(FindTouch, DepthIsLeftToDisplacement) {
    const Touch touch = touch_of(*plane(Vec3(0, 1, 0)), Vec3(0, -0.002, 0), Vec3::Zero());

    ASSERT_EQ(touch.state, Touch::State::touching);
    EXPECT_NEAR(touch.depth, 0.003, 1e-15);
    EXPECT_NEAR(touch.normal_speed, 1, 1e-12);  // the plane's own
}

TEST(FindTouch, AThinRodIsNotJumpedOver) {
    Settings options = Settings::object();
    options["radius"] = Settings::of(0.005);
    const auto rod = find_entry(obstacles(), "obstacle", "capsule").make(options);
    const Vec3 x(0.1, 0.05, 0), v(0, -5, 0);  // 100 mm a step, from above to below

    const Touch touch = touch_of(*rod, x, v);

    ASSERT_EQ(touch.state, Touch::State::touching);
    EXPECT_LT((touch.normal - Vec3(0, 1, 0)).norm(), 1e-12);
    EXPECT_NEAR(x.y() + h * touch.normal_speed, 0.005 + thickness, 2e-6);
}

TEST(FindTouch, AReleasedVertexIsTakenBackOnlyWhenItReturns) {
    const Vec3 at_surface(0, thickness, 0);

    EXPECT_EQ(touch_of(*plane(), at_surface, Vec3::Zero()).state, Touch::State::touching);
    EXPECT_EQ(touch_of(*plane(), at_surface, Vec3::Zero(), History::released).state,
              Touch::State::close);
    EXPECT_EQ(touch_of(*plane(), at_surface, Vec3(0, 0.1, 0), History::released).state,
              Touch::State::close);
    EXPECT_EQ(touch_of(*plane(), at_surface, Vec3(0, -0.1, 0), History::released).state,
              Touch::State::touching);
}

TEST(FindTouch, AHeldVertexIsKeptUpToAGapOfOneThickness) {
    const Vec3 lifting(0, 0.1, 0);

    EXPECT_EQ(touch_of(*plane(), Vec3(0, 1.9e-3, 0), lifting, History::held).state,
              Touch::State::touching);
    EXPECT_EQ(touch_of(*plane(), Vec3(0, 2.1e-3, 0), lifting, History::held).state,
              Touch::State::away);
}

}  // namespace
}  // namespace taffeta::contact

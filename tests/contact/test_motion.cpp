#include "taffeta/contact/motion.h"

#include <gtest/gtest.h>

#include <numbers>

namespace taffeta::contact {
namespace {

constexpr double degree = std::numbers::pi / 180;

Motion tumbling() {
    Motion motion;
    motion.keyframes = {{0.0, Vec3(0, 0, 0), Vec3(0, 0, 0)},
                        {1.0, Vec3(1, 2, 0), Vec3(0, 90, 0)},
                        {1.5, Vec3(1, 0, 3), Vec3(60, 20, -40)},
                        {3.0, Vec3(0, 0, 0), Vec3(-30, 100, 10)}};
    motion.angular_velocity = Vec3(0.3, -1.1, 0.7);
    motion.pivot = Vec3(0.2, -0.4, 0.9);
    return motion;
}

TEST(Motion, EmptyIsAtRest) {
    const Motion motion;

    const Motion::Pose pose = motion.pose(1.7);

    EXPECT_EQ(pose.to_world(Vec3(1, 2, 3)), Vec3(1, 2, 3));
    EXPECT_EQ(pose.velocity(Vec3(1, 2, 3)), Vec3(0, 0, 0));
}

TEST(Motion, VelocityIsTheTimeDerivativeInsideSegments) {
    const Motion motion = tumbling();
    const Vec3 rest(0.7, 0.1, -0.5);
    const double dt = 1e-6;

    for (const double t : {-0.5, 0.3, 0.99, 1.2, 2.0, 2.9, 4.0}) {
        const Vec3 before = motion.pose(t - dt).to_world(rest);
        const Vec3 after = motion.pose(t + dt).to_world(rest);
        const Motion::Pose pose = motion.pose(t);

        const Vec3 difference = (after - before) / (2 * dt);

        EXPECT_LT((pose.velocity(pose.to_world(rest)) - difference).norm(), 1e-8) << "t = " << t;
    }
}

TEST(Motion, PoseIsARotationAndInvertible) {
    const Motion motion = tumbling();

    for (double t = -0.2; t < 3.5; t += 0.173) {
        const Motion::Pose pose = motion.pose(t);

        EXPECT_LT((pose.rotation * pose.rotation.transpose() - Mat3::Identity()).norm(), 1e-13);
        EXPECT_GT(pose.rotation.determinant(), 0);
        EXPECT_LT((pose.to_rest(pose.to_world(Vec3(1, 2, 3))) - Vec3(1, 2, 3)).norm(), 1e-13);
    }
}

TEST(Motion, PassesThroughItsKeysAndHoldsTheEnds) {
    Motion motion = tumbling();
    motion.angular_velocity.setZero();
    motion.pivot.setZero();

    EXPECT_LT((motion.pose(1).to_world(Vec3(1, 0, 0)) - Vec3(1, 2, -1)).norm(), 1e-13);
    EXPECT_EQ(motion.pose(-1).to_world(Vec3(1, 0, 0)), Vec3(1, 0, 0));
    EXPECT_EQ(motion.pose(9).rotation, motion.pose(3).rotation);
    EXPECT_EQ(motion.pose(9).velocity(Vec3(5, 5, 5)), Vec3(0, 0, 0));
    // At a key the coming segment counts.
    EXPECT_LT((motion.pose(1).velocity(motion.pose(1).translation) - Vec3(0, -4, 6)).norm(), 1e-12);
}

TEST(Motion, KeysAboutOneAxisCountTheirTurns) {
    Motion motion;
    motion.keyframes = {{0, Vec3::Zero(), Vec3::Zero()}, {2, Vec3::Zero(), Vec3(720, 0, 0)}};

    const Motion::Pose pose = motion.pose(0.25);

    EXPECT_LT((pose.angular_velocity - Vec3(360 * degree, 0, 0)).norm(), 1e-12);
    EXPECT_LT((pose.to_world(Vec3(0, 1, 0)) - Vec3(0, 0, 1)).norm(), 1e-12);  // 90 degrees
}

TEST(Motion, SlerpTakesTheShorterWayAtConstantRate) {
    Motion motion;
    motion.keyframes = {{0, Vec3::Zero(), Vec3(90, 0, 0)}, {1, Vec3::Zero(), Vec3(0, 90, 0)}};
    // The rotation from one to the other is by 120 degrees about a diagonal.
    const double rate = 120 * degree;

    for (const double t : {0.0, 0.2, 0.7}) {
        EXPECT_NEAR(motion.pose(t).angular_velocity.norm(), rate, 1e-12);
        const Mat3 turned = motion.pose(t).rotation * motion.pose(0).rotation.transpose();
        EXPECT_NEAR(std::acos((turned.trace() - 1) / 2), t * rate, 1e-7);
    }
}

TEST(Motion, SpinTurnsAboutTheMovingPivot) {
    Motion motion;
    motion.keyframes = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(4, 0, 0), Vec3::Zero()}};
    motion.angular_velocity = Vec3(0, 0, std::numbers::pi);
    motion.pivot = Vec3(1, 1, 0);

    const Motion::Pose pose = motion.pose(0.5);  // a quarter turn, half the way

    EXPECT_LT((pose.to_world(Vec3(1, 1, 0)) - Vec3(3, 1, 0)).norm(), 1e-13);
    EXPECT_LT((pose.to_world(Vec3(2, 1, 0)) - Vec3(3, 2, 0)).norm(), 1e-13);
    EXPECT_LT((pose.velocity(Vec3(3, 1, 0)) - Vec3(4, 0, 0)).norm(), 1e-12);
    EXPECT_LT((pose.velocity(Vec3(3, 2, 0)) - Vec3(4 - std::numbers::pi, 0, 0)).norm(), 1e-12);
}

TEST(Motion, KeysOutOfOrderAreBadInput) {
    Motion motion;
    motion.keyframes = {{1, Vec3::Zero(), Vec3::Zero()}, {1, Vec3::Zero(), Vec3::Zero()}};

    EXPECT_THROW(motion.check(Settings::object()), Error);
    motion.keyframes[1].time = 1.5;
    EXPECT_NO_THROW(motion.check(Settings::object()));
}

}  // namespace
}  // namespace taffeta::contact

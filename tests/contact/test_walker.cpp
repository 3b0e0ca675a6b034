#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "taffeta/contact/intersections.h"
#include "taffeta/contact/obstacle.h"
#include "taffeta/contact/walker_surface.h"

namespace taffeta::contact {
namespace {

using namespace body_part;

constexpr double stride = 120.0 / 110;  ///< s, two steps of the default cadence

/// Least distance of points on the surface of one limb from another limb.
double gap(const Limbs& limbs, int one, int other) {
    double least = 1e300;
    for (const Vec3& p : limbs[std::size_t(one)].cone.surface(24).position)
        least = std::min(least, limbs[std::size_t(other)].cone.at(p).value);
    return least;
}

TEST(RoundCone, DistanceIsThatToTheBallsOfTheHull) {
    // The hull is the union of the balls about every point of the axis with radii in between.
    const RoundCone cone{Vec3(0.1, 0, 0.2), Vec3(0.3, 0.5, 0.1), 0.2, 0.05};
    std::mt19937 random(3);
    std::uniform_real_distribution<double> coordinate(-0.8, 0.8);
    for (int k = 0; k < 200; ++k) {
        const Vec3 p(coordinate(random), coordinate(random), coordinate(random));
        double least = 1e300;
        for (int part = 0; part <= 20000; ++part) {
            const double s = part / 20000.0;
            const Vec3 center = (1 - s) * cone.from + s * cone.to;
            const double radius = (1 - s) * cone.from_radius + s * cone.to_radius;
            least = std::min(least, (p - center).norm() - radius);
        }

        const RoundCone::Distance distance = cone.at(p);

        // Inside, the deepest ball is no longer the distance, but a bound.
        EXPECT_LE(distance.value, least + 1e-6);
        EXPECT_TRUE(least < 0 || distance.value > least - 1e-6) << p.transpose();
        EXPECT_NEAR(distance.normal.norm(), 1, 1e-12);
    }
}

TEST(Walker, BonesMoveWithTheVelocitiesOfTheirPoses) {
    const WalkerOptions options;
    for (const double t : {0.0, 0.3, 0.77, 1.4, 3.21}) {
        const double dt = 1e-5;
        const Limbs before = limbs_at(options, t - dt), now = limbs_at(options, t),
                    after = limbs_at(options, t + dt);
        for (std::size_t k = 0; k < std::size_t(body_part::count); ++k) {
            const Vec3 rate = (after[k].cone.to - before[k].cone.to) / (2 * dt);

            EXPECT_LT((rate - now[k].pose.velocity(now[k].cone.to)).norm(), 1e-7) << k << " " << t;
            EXPECT_LT(
                (now[k].pose.rotation.transpose() * now[k].pose.rotation - Mat3::Identity()).norm(),
                1e-12);
        }
    }
}

TEST(Walker, StandsWithSpreadArmsAtFirstAndIsAsTallAsItSays) {
    for (const double height : {1.75, 1.1}) {
        WalkerOptions options;
        options.height = height;
        const Limbs limbs = limbs_at(options, 0);
        double top = 0, bottom = 0;
        for (const Limb& limb : limbs) {
            for (const Vec3& p : limb.cone.surface(32).position) {
                top = std::max(top, p.y());
                bottom = std::min(bottom, p.y());
            }
            EXPECT_LT(limb.pose.velocity(limb.cone.to).norm(), 1e-12);
        }

        EXPECT_NEAR(top, height, 0.005 * height);
        EXPECT_NEAR(bottom, 0, 0.005 * height);
        const Vec3 arm = limbs[left_forearm].cone.to - limbs[left_upper_arm].cone.from;
        EXPECT_NEAR(std::atan2(arm.x(), -arm.y()), 50 * M_PI / 180, 1e-12);
    }
}

TEST(Walker, StepsAreAsLongAsAsked) {
    WalkerOptions options;
    options.step_length = 0.5;

    // At phi = 0 the left leg is foremost; half a turn later the right one is, as far.
    const Limbs limbs = limbs_at(options, 10 * stride);

    // Hips turn about 4 degrees: the ankles of straight legs are 2 leg sin A cos 4 apart; the knees
    // bend by 5 degrees and more.
    const double apart = limbs[left_shin].cone.to.z() - limbs[right_shin].cone.to.z();
    EXPECT_NEAR(apart, 0.5, 0.05);
    const Limbs later = limbs_at(options, 10.5 * stride);
    EXPECT_NEAR(later[left_shin].cone.to.z() - later[right_shin].cone.to.z(), -apart, 1e-9);
}

TEST(Walker, LegsDoNotMeetAndArmsStayClearOfTheBody) {
    const WalkerOptions options;
    for (int k = 0; k < 120; ++k) {
        const Limbs limbs = limbs_at(options, 3 * stride * k / 120);
        for (const int left : {left_thigh, left_shin, left_foot})
            for (const int right : {right_thigh, right_shin, right_foot})
                EXPECT_GT(gap(limbs, left, right), 0.02) << k;
        for (const int arm : {left_forearm, left_hand, right_forearm, right_hand})
            for (const int body : {pelvis, waist, chest, left_thigh, right_thigh})
                EXPECT_GT(gap(limbs, arm, body), 0.05) << k;
    }
}

TEST(Walker, TheWayOutOfABentKneeIsTheNearest) {
    // Points of the mesh of the surface are on the surface, so none may be nearer than the distance.
    const WalkerOptions options;
    const Limbs limbs = limbs_at(options, 2 * stride * 0.73);
    const mesh::TriMesh surface = limbs_surface(limbs, 96);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> part(0, 1);
    std::normal_distribution<double> offset(0, 0.03);
    int creases = 0;
    for (int k = 0; k < 400; ++k) {
        const Limb& limb = limbs[std::size_t(k % int(body_part::count))];
        const Vec3 p = limb.cone.from + part(random) * (limb.cone.to - limb.cone.from) +
                       Vec3(offset(random), offset(random), offset(random));
        const LimbHit hit = nearest_limb(limbs, p);
        // Deeper, where many limbs overlap, a way out is found, but not always the nearest.
        if (hit.distance >= 0 || hit.distance < -0.06) continue;
        double least = 1e300;
        for (const Vec3& position : surface.position)
            least = std::min(least, (position - p).norm());
        const LimbHit foot = nearest_limb(limbs, p - hit.distance * hit.normal);

        EXPECT_LT(-hit.distance, least + 1e-6);
        EXPECT_GT(-hit.distance, least - 0.004);
        EXPECT_NEAR(foot.distance, 0, 1e-9);
        creases += hit.distance < limb.cone.at(p).value - 1e-9;
    }
    EXPECT_GT(creases, 5);
}

}  // namespace
}  // namespace taffeta::contact

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../helpers/particles.h"

// One particle and an obstacle, against mechanics on paper.
namespace taffeta::contact {
namespace {

constexpr double thickness = 1e-3;
constexpr double g = 9.81;

/// tan(slope) = 0.5: 26.565 degrees, downhill along +x.
const Vec3 incline_normal = Vec3(1, 2, 0).normalized();
const Vec3 downhill = Vec3(2, -1, 0).normalized();

Settings keyframes(const std::vector<std::pair<double, Vec3>>& keys) {
    Settings motion = Settings::object();
    motion["keyframes"] = Settings::array();
    for (const auto& [time, translate] : keys) {
        Settings key = Settings::object();
        key["time"] = Settings::of(time);
        key["translate"] = vector_setting(translate);
        motion["keyframes"].items().push_back(key);
    }
    return motion;
}

Particles on_incline(double friction) {
    Particles particles({thickness * incline_normal});
    particles.add_plane(incline_normal, friction);
    return particles;
}

TEST(Constraints1998, FarFromEverythingNothingIsAsked) {
    Particles particles({Vec3(0, 1, 0)});
    particles.add_plane(Vec3(0, 1, 0), 0.3);

    particles.advance();

    EXPECT_TRUE(particles.constrained.empty());
    EXPECT_EQ(particles.report.contacts, 0);
    EXPECT_DOUBLE_EQ(particles.velocity().y(), -g * particles.step);
}

TEST(Constraints1998, AFallingParticleNeverEntersAndRestsAtTheThickness) {
    Particles particles({Vec3(0, 0.1, 0)});
    particles.add_plane(Vec3(0, 1, 0), 0.3);

    double lowest = 1;
    for (int k = 0; k < 192; ++k) {
        particles.advance();
        lowest = std::min(lowest, particles.position().y());
    }

    EXPECT_GE(lowest, thickness - 1e-15);
    EXPECT_NEAR(particles.position().y(), thickness, 1e-15);
    EXPECT_EQ(particles.velocity().norm(), 0);
    // e = h m g: the constraint carries the weight, outward positive.
    EXPECT_NEAR(particles.impulse[1], particles.step * particles.mass[0] * g, 1e-15);
    EXPECT_EQ(particles.report.contacts, 1);
    EXPECT_EQ(particles.report.deepest, 0);
}

TEST(Constraints1998, FrictionBelowTheSlopeSlidesWithCoulombsAcceleration) {
    for (const double mu : {0.0, 0.2, 0.49}) {
        Particles particles = on_incline(mu);
        particles.advance(20);
        const double early = downhill.dot(particles.velocity());

        particles.advance(192);

        const double acceleration = downhill.dot(particles.velocity()) - early;  // in one second
        const double expected = g * (1 - 2 * mu) / std::sqrt(5.0);
        EXPECT_NEAR(acceleration / expected, 1, 1e-6) << "mu = " << mu;
        EXPECT_NEAR(incline_normal.dot(particles.position()), thickness, 1e-14);
        EXPECT_EQ(particles.report.sliding, 1);
    }
}

TEST(Constraints1998, FrictionActsFromTheFirstStepOfSlidingOn) {
    Particles particles = on_incline(0.49);
    particles.advance();  // it is laid down and sticks, which is too much for friction
    ASSERT_LT(particles.velocity().norm(), 1e-15);

    particles.advance();

    const double expected = particles.step * g * (1 - 2 * 0.49) / std::sqrt(5.0);
    EXPECT_NEAR(downhill.dot(particles.velocity()) / expected, 1, 1e-9);
}

TEST(Constraints1998, FrictionAboveTheSlopeHolds) {
    Particles particles = on_incline(0.51);

    particles.advance(400);

    EXPECT_LT((particles.position() - thickness * incline_normal).norm(), 1e-14);
    EXPECT_EQ(particles.report.sliding, 0);
}

TEST(Constraints1998, ASlidingParticleStopsWhereCoulombSaysAndStays) {
    for (const double step : {1.0 / 1000, 1.0 / 4000}) {
        Particles particles({Vec3(0, thickness, 0)});
        particles.add_plane(Vec3(0, 1, 0), 0.3);
        particles.step = step;
        particles.set_velocity(Vec3(1, 0, 0));

        particles.advance(int(std::lround(1 / step)));

        // The friction of the first step is missing: one step at 1 m/s.
        EXPECT_NEAR(particles.position().x(), 1 / (2 * 0.3 * g), 1.5 * step);
        EXPECT_EQ(particles.velocity().norm(), 0);
    }
}

TEST(Constraints1998, SlidingUphillItStopsAndHolds) {
    Particles particles = on_incline(0.51);
    particles.set_velocity(-1.0 * downhill);

    particles.advance(192);
    const Vec3 stopped = particles.position();
    particles.advance(192);

    EXPECT_LT((particles.position() - stopped).norm(), 1e-14);
    EXPECT_LT(particles.velocity().norm(), 1e-14);
}

TEST(Constraints1998, AnObliqueImpactFollowsCoulomb) {
    const double mu = 0.3;
    for (const double slip : {0.5, 2.0}) {
        Particles particles({Vec3(0, 0.05, 0)});
        particles.gravity.setZero();
        particles.add_plane(Vec3(0, 1, 0), mu);
        particles.set_velocity(Vec3(slip, -2, 0));

        particles.advance(20);

        // Friction takes mu times the normal momentum, 2 m, at most all.
        EXPECT_NEAR(particles.velocity().x(), std::max(0.0, slip - 2 * mu), 0.03 * mu * 2);
        EXPECT_NEAR(particles.velocity().y(), 0, 1e-12);
    }
}

TEST(Constraints1998, AMovingPlaneCarriesIt) {
    Particles particles({Vec3(0, thickness, 0)});
    particles.add_plane(Vec3(0, 1, 0), 0.5,
                        keyframes({{0, Vec3::Zero()}, {2, Vec3(0.4, 0.2, -0.2)}}));
    particles.set_velocity(Vec3(0.2, 0.1, -0.1));

    particles.advance(192);

    EXPECT_LT((particles.position() - Vec3(0.2, 0.1 + thickness, -0.1)).norm(), 1e-12);
}

TEST(Constraints1998, AConveyorSpeedsItUpByFriction) {
    Particles particles({Vec3(0, thickness, 0)});
    particles.add_plane(Vec3(0, 1, 0), 0.1, keyframes({{0, Vec3::Zero()}, {9, Vec3(9, 0, 0)}}));

    particles.advance(96);
    const double halfway = particles.velocity().x();
    particles.advance(192);

    EXPECT_NEAR(halfway, 0.5 * 0.1 * g, 0.02);  // mu g t
    EXPECT_NEAR(particles.velocity().x(), 1, 1e-12);
}

TEST(Constraints1998, ASpinningBallCarriesItRound) {
    Settings ball = Settings::object();
    ball["radius"] = Settings::of(0.5);
    ball["motion"]["angular_velocity"] = vector_setting(Vec3(0, 1, 0));
    const double tilt = std::numbers::pi / 6, reach = 0.5 + thickness;
    const Vec3 start = reach * Vec3(std::sin(tilt), std::cos(tilt), 0);
    Particles particles({start});
    particles.add("sphere", ball, 2);
    particles.set_velocity(Vec3(0, 1, 0).cross(start));

    particles.advance(192);  // one radian

    const Vec3 expected = reach * Vec3(std::sin(tilt) * std::cos(1.0), std::cos(tilt),
                                       -std::sin(tilt) * std::sin(1.0));
    // The first step knows no pull to the ball and flies off on a tangent before it is held.
    EXPECT_LT((particles.position() - expected).norm(), 1e-3 * reach);
}

TEST(Constraints1998, ItLeavesABallWhereMechanicsSaysSo) {
    // Frictionless from the top of a sphere: contact ends at cos(angle) = 2/3.
    Settings ball = Settings::object();
    ball["radius"] = Settings::of(0.5);
    Particles particles({Vec3(0.5e-3, 0.5 + thickness, 0)});
    particles.step = 1e-3;
    particles.add("sphere", ball, 0);

    for (int k = 0; k < 5000 && (k < 10 || !particles.constrained.empty()); ++k)
        particles.advance();

    const Vec3 position = particles.position();
    EXPECT_NEAR(position.y() / position.norm(), 2.0 / 3, 0.01);
    EXPECT_NEAR(position.norm(), 0.5 + thickness, 2e-5);
}

TEST(Constraints1998, APlaneThatFallsFasterLetsGo) {
    // The plane falls with 2 g, in short linear pieces; the particle falls freely.
    std::vector<std::pair<double, Vec3>> keys;
    for (int k = 0; k <= 200; ++k)
        keys.emplace_back(0.005 * k, Vec3(0, -g * std::pow(0.005 * k, 2), 0));
    Particles particles({Vec3(0, thickness, 0)});
    particles.add_plane(Vec3(0, 1, 0), 0.5, keyframes(keys));

    Index steps_held = 0;
    for (int k = 0; k < 96; ++k) {
        particles.advance();
        steps_held += !particles.constrained.empty();
    }

    EXPECT_LE(steps_held, 3);
    EXPECT_NEAR(particles.position().y(), thickness - 0.5 * g * 0.25, 0.03);
}

TEST(Constraints1998, NothingPullsItBackWhenLifted) {
    Particles particles({Vec3(0, thickness, 0)});
    particles.add_plane(Vec3(0, 1, 0), 0.5);
    particles.advance(10);
    particles.gravity = Vec3(0, 5, 0);

    particles.advance();
    EXPECT_EQ(particles.report.released, 1);
    const double start = particles.time;
    particles.advance(96);

    const double t = particles.time - start;
    EXPECT_NEAR(particles.position().y(), thickness + 2.5 * t * (t + particles.step), 1e-12);
    EXPECT_EQ(particles.report.contacts, 0);
}

// On a stiff spring a particle that slows down is about to turn back: it will not go on as it slowed down.
TEST(Constraints1998, NothingDragsDownWhatTrembles) {
    Particles particles({Vec3(0, 1.9 * thickness, 0)});
    particles.add_plane(Vec3(0, 1, 0), 0.5);
    const double pull = 0.2 / particles.step;
    particles.set_velocity(Vec3(0, 0.2, 0));
    particles.gravity = Vec3(0, -pull, 0);
    particles.advance();
    ASSERT_NEAR(particles.velocity().y(), 0, 1e-15);
    ASSERT_NEAR(particles.position().y(), 1.9 * thickness, 1e-15);

    particles.gravity = Vec3::Zero();
    particles.advance();

    EXPECT_EQ(particles.report.contacts, 0);
    EXPECT_NEAR(particles.velocity().y(), 0, 1e-15);
}

TEST(Constraints1998, PinsWin) {
    Particles particles({Vec3(0, -0.05, 0), Vec3(1, thickness, 0)});
    particles.pinned[0] = 1;
    particles.add_plane(Vec3(0, 1, 0), 0.5);

    particles.advance();

    ASSERT_EQ(particles.constrained.size(), 1u);
    EXPECT_EQ(particles.constrained[0].vertex, 1);
    EXPECT_EQ(particles.report.pinned_conflicts, 1);
    EXPECT_EQ(particles.alteration.norm(), 0);
}

TEST(Constraints1998, PenetrationIsUndoneByCappedDisplacementsWithoutVelocity) {
    Particles particles({Vec3(0, -0.024, 0)});  // 25 mm inside the thickness, edges of 20 mm
    particles.add_plane(Vec3(0, 1, 0), 0.5);

    particles.advance();
    EXPECT_NEAR(particles.alteration[1], 0.01, 1e-15);
    EXPECT_NEAR(particles.report.deepest, 0.025, 1e-15);
    EXPECT_NEAR(particles.report.altered, 0.01, 1e-15);
    EXPECT_EQ(particles.velocity().norm(), 0);
    particles.advance(2);

    EXPECT_NEAR(particles.position().y(), thickness, 1e-15);
    EXPECT_EQ(particles.velocity().norm(), 0);
}

TEST(Constraints1998, ACornerOfTwoPlanesHolds) {
    //  \    /   two inclines of 45 degrees and one of 60, without friction
    //   \. /
    const double angle = 60 * std::numbers::pi / 180;
    const Vec3 left(std::sqrt(0.5), std::sqrt(0.5), 0), right(-std::sin(angle), std::cos(angle), 0);
    Particles particles({Vec3(0.01, 0.2, 0)});
    particles.add_plane(left, 0);
    particles.add_plane(right, 0);

    particles.advance(600);
    particles.set_velocity(Vec3(0, 0, 0.25));
    particles.advance(192);

    EXPECT_NEAR(left.dot(particles.position()), thickness, 1e-12);
    EXPECT_NEAR(right.dot(particles.position()), thickness, 1e-12);
    EXPECT_NEAR(particles.position().z(), 0.25, 1e-12);  // free along the valley
    ASSERT_EQ(particles.constrained.size(), 1u);
    EXPECT_EQ(particles.constrained[0].forbidden, 2);
}

TEST(Constraints1998, AVertexInAPenetratedCornerComesOutOfBoth) {
    Particles particles({Vec3(-0.003, -0.004, 0)});
    particles.add_plane(Vec3(1, 0, 0), 0.2);
    particles.add_plane(Vec3(0, 1, 0), 0.2);

    particles.advance();

    EXPECT_NEAR(particles.position().x(), thickness, 1e-14);
    EXPECT_NEAR(particles.position().y(), thickness, 1e-14);
}

TEST(Constraints1998, TwoPlanesThatAlmostAgreeActAsOne) {
    Particles particles({Vec3(0, thickness, 0)});
    particles.add_plane(Vec3(0, 1, 0), 0);
    particles.add_plane(Vec3(1e-5, 1, 0).normalized(), 0);
    particles.set_velocity(Vec3(0.1, 0, 0));

    particles.advance(100);

    ASSERT_EQ(particles.constrained.size(), 1u);
    EXPECT_EQ(particles.constrained[0].forbidden, 1);
    EXPECT_NEAR(particles.position().y(), thickness, 1e-6);
    EXPECT_NEAR(particles.velocity().x(), 0.1, 1e-4);
}

TEST(Constraints1998, ItSlidesOffATable) {
    Settings table = Settings::object();
    table["radius"] = Settings::of(0.1);
    table["center"] = vector_setting(Vec3(0, -0.025, 0));
    Particles particles({Vec3(0, thickness, 0)});
    particles.add("cylinder", table, 0.1);
    particles.set_velocity(Vec3(0.8, 0, 0));

    particles.advance(192);

    EXPECT_LT(particles.position().y(), -1);
    EXPECT_GT(particles.position().x(), 0.1);
    EXPECT_TRUE(particles.constrained.empty());
}

TEST(Constraints1998, MemoryContinuesToTheSameBits) {
    const auto make = [] {
        Particles particles = on_incline(0.3);
        particles.add_plane(Vec3(-1, 1, 0).normalized(), 0.4);
        particles.set_velocity(Vec3(0.3, 0, 0.2));
        return particles;
    };
    Particles whole = make();
    whole.advance(60);
    Particles resumed = make();
    resumed.x = whole.x;
    resumed.v = whole.v;
    resumed.time = whole.time;

    resumed.model->load(whole.model->save());
    whole.advance(60);
    resumed.advance(60);

    EXPECT_EQ(whole.x, resumed.x);
    EXPECT_EQ(whole.v, resumed.v);
    EXPECT_EQ(whole.model->save(), resumed.model->save());
}

TEST(Constraints1998, DamagedMemoryIsRefused) {
    Particles particles = on_incline(0.3);
    particles.advance(3);
    std::vector<char> memory = particles.model->save();

    for (std::size_t length = 1; length < memory.size(); ++length)
        EXPECT_THROW(particles.model->load(std::span(memory.data(), length)), Error) << length;
    memory[32] = 77;  // the state of the only record
    EXPECT_THROW(particles.model->load(memory), Error);
    EXPECT_NO_THROW(particles.model->load({}));
}

}  // namespace
}  // namespace taffeta::contact

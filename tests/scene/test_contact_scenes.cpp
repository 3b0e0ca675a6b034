#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "scene/simulations.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/simulation.h"

/// The scenes that put cloth on cloth and between obstacles: what they start from.
namespace taffeta::scene {
namespace {

BuiltScene built(const std::string& name, int vertices = 0,
                 const std::vector<std::string>& overrides = {}) {
    return build(load_settings(builtin_scene(name, {vertices, ""}).settings, overrides));
}

class ContactScenes : public testing::TestWithParam<const char*> {};

TEST_P(ContactScenes, NothingIntersectsAtTheStart) {
    for (const int vertices : {0, 300, 6000}) {
        const BuiltScene scene = built(GetParam(), vertices);
        const sim::World& world = scene.world;

        EXPECT_TRUE(contact::find_intersections(surfaces_of(world), world.state.x).empty())
            << vertices;
        for (Index i = 0; i < world.vertex_count(); ++i)
            for (const contact::PlacedObstacle& obstacle : world.obstacles)
                ASSERT_GT(obstacle.shape->sample(vec3(world.state.x, i), 0).distance, 0)
                    << obstacle.name << " " << i;
    }
}

TEST_P(ContactScenes, ComeNearToTheNumberOfVerticesAskedFor) {
    for (const int wanted : {2000, 20000, 100000}) {
        const int vertices = builtin_scene(GetParam(), {wanted, ""}).vertices;

        // A ribbon of the knot is cut in 2, 3, 4, ... cells across.
        EXPECT_NEAR(vertices, wanted, 0.25 * wanted);
    }
}

INSTANTIATE_TEST_SUITE_P(Builtin, ContactScenes,
                         testing::Values("drop-horizontal", "drop-vertical", "stack", "curtain",
                                         "slope", "spin", "pinch", "funnel", "twist", "reef-knot"),
                         [](const auto& parameter) {
                             std::string name = parameter.param;
                             for (char& c : name)
                                 if (c == '-') c = '_';
                             return name;
                         });

TEST(ContactScenesStart, TheKnotInterlocks) {
    // Both legs of one ribbon pass through the bend of the other: over it, and under its legs.
    const BuiltScene scene = built("reef-knot");
    const sim::World& world = scene.world;
    const auto height_above = [&](double x, double y, std::size_t body) {
        const std::vector<Vec3>& position = world.bodies[body].mesh.position;
        double nearest = 1e300, z = 0;
        for (const Vec3& p : position) {
            const double distance = std::hypot(p.x() - x, p.y() - y);
            if (distance >= nearest) continue;
            nearest = distance;
            z = p.z();
        }
        EXPECT_LT(nearest, 0.004);
        return z;
    };
    for (const double side : {-1.0, 1.0}) {
        const double cross = 0.06 + std::sqrt(0.05 * 0.05 - 0.02 * 0.02);
        EXPECT_GT(height_above(-cross, 0.02 * side, 0), height_above(-cross, 0.02 * side, 1));
        EXPECT_LT(height_above(0, 0.035 * side, 0), height_above(0, 0.035 * side, 1));
        EXPECT_GT(height_above(cross, 0.02 * side, 0), height_above(cross, 0.02 * side, 1));
    }
}

TEST(ContactScenesStart, RibbonsOfTheKnotAreStrainedByAFewPerCent) {
    const BuiltScene scene = built("reef-knot");
    const sim::Body& ribbon = scene.world.bodies[0];
    double most = 0;
    for (std::size_t f = 0; f < ribbon.mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const double world =
                (ribbon.mesh.position[std::size_t(ribbon.mesh.face[f][k])] -
                 ribbon.mesh.position[std::size_t(ribbon.mesh.face[f][(k + 1) % 3])])
                    .norm();
            const double rest =
                (ribbon.rest.face_uv[f][k] - ribbon.rest.face_uv[f][(k + 1) % 3]).norm();
            most = std::max(most, std::abs(world / rest - 1));
        }

    EXPECT_LT(most, 0.08);
}

TEST(ContactScenesStart, TheTubeStartsWithoutStrain) {
    const BuiltScene scene = built("twist", 9240);
    const sim::Body& tube = scene.world.bodies[0];
    ASSERT_EQ(tube.mesh.vertex_count(), 120 * 77);
    for (std::size_t f = 0; f < tube.mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const double world = (tube.mesh.position[std::size_t(tube.mesh.face[f][k])] -
                                  tube.mesh.position[std::size_t(tube.mesh.face[f][(k + 1) % 3])])
                                     .norm();
            const double rest =
                (tube.rest.face_uv[f][k] - tube.rest.face_uv[f][(k + 1) % 3]).norm();
            ASSERT_NEAR(world, rest, 1e-12);
        }
    ASSERT_EQ(scene.world.pins.size(), 2u);
    EXPECT_EQ(scene.world.pins[0].vertex.size(), 120u);
    // +-pi rad/s for 2 s
    EXPECT_NEAR(scene.world.pins[0].motion.pose(1).angular_velocity.x(), M_PI, 1e-12);
    EXPECT_NEAR(scene.world.pins[1].motion.pose(1).angular_velocity.x(), -M_PI, 1e-12);
    EXPECT_EQ(scene.world.pins[1].motion.pose(2.1).angular_velocity.norm(), 0);
}

TEST(ContactScenesStart, SheetsSlideWhenFrictionIsBelowTheSlopeAndStayWhenItIsAbove) {
    struct Slide {
        double way, acceleration;
    };
    // The acceleration from places 1/6 s apart, so that the first touch does not count.
    const auto slide = [](const char* friction) {
        BuiltScene scene = built("slope", 36, {std::string("obstacles[0].friction=") + friction});
        sim::Simulation simulation(std::move(scene.world), std::move(scene.tools), scene.time);
        std::array<Vec3, 4> place{vec3(simulation.world().state.x, 0)};
        for (int k = 1; k < 4; ++k) {
            simulation.advance(4 * k);
            place[std::size_t(k)] = vec3(simulation.world().state.x, 0);
        }
        const double h = 4.0 / 24;
        return Slide{(place[3] - place[0]).norm(),
                     (place[3] - 2 * place[2] + place[1]).norm() / (h * h)};
    };

    // g (sin - mu cos) with tan = 1/2
    const double expected = 9.81 * (1 - 2 * 0.4) / std::sqrt(5);
    EXPECT_NEAR(slide("0.4").acceleration, expected, 0.02 * expected);
    EXPECT_LT(slide("0.51").way, 1e-3);
}

}  // namespace
}  // namespace taffeta::scene

#include "taffeta/scene/builtin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "taffeta/scene/build.h"
#include "taffeta/scene/load.h"
#include "taffeta/scene/materials.h"
#include "taffeta/sim/simulation.h"

namespace taffeta::scene {
namespace {

BuiltScene built(const std::string& name, int vertices = 0, const std::string& tessellation = "",
                 const std::vector<std::string>& overrides = {}) {
    return build(load_settings(builtin_scene(name, {vertices, tessellation}).settings, overrides));
}

std::size_t pinned_count(const BuiltScene& scene) {
    std::size_t count = 0;
    for (const sim::Pin& pin : scene.world.pins)
        count += pin.vertex.size();
    return count;
}

TEST(Builtin, BenchmarkSheetsHaveTheirCounts) {
    const BuiltScene pinned = built("pinned");
    const BuiltScene drooping = built("drooping");

    EXPECT_EQ(pinned.world.vertex_count(), 961);
    EXPECT_EQ(pinned.world.bodies[0].mesh.face_count(), 1800);
    EXPECT_EQ(pinned.world.bodies[0].topology.hinge.size(), 2640u);
    EXPECT_EQ(pinned_count(pinned), 120u);
    EXPECT_NEAR(pinned.world.mass.sum(), 0.15, 1e-14);
    EXPECT_EQ(pinned_count(drooping), 62u);
    EXPECT_EQ(drooping.world.gravity, Vec3(0, 0, -9.81));
    EXPECT_EQ(drooping.time.steps_until(drooping.time.frames), 208);
    EXPECT_EQ(drooping.time.h(), 0.002);
}

TEST(Builtin, DropsHaveTheStepsAndPlacesOfTheBenchmark) {
    const BuiltScene level = built("drop-horizontal");
    const BuiltScene upright = built("drop-vertical");

    EXPECT_EQ(level.time.steps_until(level.time.frames), 312);
    EXPECT_EQ(upright.time.steps_until(upright.time.frames), 520);
    for (Index i = 0; i < 961; ++i) {
        const double u = double(i % 31) / 30, v = double(i / 31) / 30;
        const Vec3 flat(u, v, 0.1);
        const Vec3 hanging(u, 0.5 + 1e-3 * std::sin(7 * u) * std::sin(5 * v), v + 0.05);
        EXPECT_LT((vec3(level.world.state.x, i) - flat).norm(), 1e-15);
        EXPECT_LT((vec3(upright.world.state.x, i) - hanging).norm(), 1e-15);
    }
    const contact::Obstacle& box = *level.world.obstacles[0].shape;
    EXPECT_NEAR(box.sample(Vec3(0, 0.5, 0.1), 0).distance, 0.1, 1e-15);
    EXPECT_NEAR(box.sample(Vec3(0.5, 0.5, -0.1), 0).distance, 0.2, 1e-15);
    EXPECT_NEAR(box.sample(Vec3(1.3, 0.5, -0.1), 0).distance, 0.1, 1e-15);
    EXPECT_EQ(level.world.obstacles[0].friction, 0.3);
}

TEST(Builtin, TheLevelSheetFallsFreelyUntilItComesWithinAMillimetreOfTheBox) {
    // Implicit Euler falls by g h^2 k (k + 1)/2 in k steps: 2.5 mm are left after 70, none after 71.
    const double g = 9.81, h = 0.002;
    BuiltScene scene = built("drop-horizontal", 16, "", {"solver=ldlt"});
    sim::Simulation simulation(std::move(scene.world), std::move(scene.tools), scene.time);
    const auto height = [&] { return vec3(simulation.world().state.x, 0).z(); };

    for (int k = 1; k <= 70; ++k) {
        simulation.step();
        EXPECT_NEAR(height(), 0.1 - g * h * h * k * (k + 1) / 2, 1e-12);
    }
    for (int k = 71; k <= 80; ++k)
        simulation.step();

    EXPECT_NEAR(height(), 0.001, 5e-4);
}

TEST(Builtin, LShapesHaveTheVerticesAndPinsOfTheTable) {
    // m: nx, ny, a, b of the sizes with exactly m^2 vertices; pins a + b + 1
    const int sizes[][5] = {{31, 33, 33, 13, 15}, {41, 46, 46, 22, 24}, {61, 70, 70, 33, 40}};
    for (const auto& [m, nx, ny, a, b] : sizes)
        for (const char* tessellation : {"regular", "irregular"}) {
            const BuiltScene scene = built("re-entrant", m * m, tessellation);

            EXPECT_EQ(scene.world.vertex_count(), m * m);
            EXPECT_EQ(scene.world.bodies[0].mesh.face_count(), 2 * (nx * ny - a * b));
            EXPECT_EQ(pinned_count(scene), std::size_t(a + b + 1)) << m << tessellation;
        }
}

TEST(Builtin, VertexCountsAreRoundedToWhatExists) {
    EXPECT_EQ(builtin_scene("pinned", {1000, ""}).vertices, 1024);
    EXPECT_EQ(builtin_scene("pinned", {10201, ""}).vertices, 10201);
    EXPECT_EQ(builtin_scene("pinned", {1, ""}).vertices, 4);
    EXPECT_EQ(builtin_scene("re-entrant", {1681, ""}).vertices, 1681);
    EXPECT_EQ(builtin_scene("flag", {}).vertices, 121 * 81);
    EXPECT_EQ(builtin_scene("flag", {2501, ""}).vertices, 61 * 41);
    EXPECT_EQ(builtin_scene("cantilever", {}).vertices, 22 * 5);
}

TEST(Builtin, EveryOneBuildsAtEveryTessellationWithoutWarnings) {
    for (const std::string& name : builtin_names())
        for (const char* tessellation : {"regular", "alternating", "irregular"}) {
            const int vertices = 400;

            const BuiltScene scene = built(name, vertices, tessellation);

            EXPECT_EQ(scene.world.vertex_count(),
                      builtin_scene(name, {vertices, tessellation}).vertices);
            for (const Diagnostic& diagnostic : scene.diagnostics)
                ADD_FAILURE() << name << ": " << diagnostic.text();
        }
}

TEST(Builtin, TheCantileverIsClampedAtZero) {
    const BuiltScene scene = built("cantilever");
    const sim::World& world = scene.world;
    const double dx = 0.05 / 20.5;

    ASSERT_EQ(pinned_count(scene), 10u);
    for (const Index vertex : world.pins[0].vertex)
        EXPECT_NEAR(std::abs(vec3(world.state.x, vertex).x()), dx / 2, 1e-15);
    double tip = 0;
    for (Index i = 0; i < world.vertex_count(); ++i)
        tip = std::max(tip, vec3(world.state.x, i).x());
    EXPECT_NEAR(tip, 0.05, 1e-15);
    // Gamma = rho g L^3 / B = 10
    const Scene read = load_scene("cantilever");
    const double B =
        read.description.materials.at("strip").bending.value.find("stiffness")->number();
    EXPECT_NEAR(0.15 * 9.81 * 0.05 * 0.05 * 0.05 / B, 10, 1e-9);
}

TEST(Builtin, UnknownNamesAndSizesAreErrors) {
    EXPECT_THROW(builtin_scene("droping", {}), Error);
    EXPECT_THROW(builtin_scene("pinned", {-4, ""}), Error);
    try {
        load_scene("droping");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean 'drooping'?"), std::string::npos);
    }
}

TEST(Materials, BenchmarkCottonIsExact) {
    const Settings& cotton = find_preset("benchmark-cotton")->settings;

    EXPECT_EQ(cotton.find("density")->number(), 0.15);
    EXPECT_EQ(cotton.find("membrane")->find("stretch_warp")->number(), 3000);
    EXPECT_EQ(cotton.find("membrane")->find("stretch_weft")->number(), 3000);
    EXPECT_EQ(cotton.find("membrane")->find("stretch_coupling")->number(), 0);
    EXPECT_EQ(cotton.find("membrane")->find("shear")->number(), 300);
    EXPECT_EQ(cotton.find("bending")->find("type")->string(), "hinge");
    EXPECT_EQ(cotton.find("bending")->find("warp")->number(), 1e-5);
    EXPECT_EQ(cotton.find("bending")->find("bias")->number(), 1e-5);
}

TEST(Materials, SheetsFollowFromModulusAndThickness) {
    // k = E t/(1 - nu^2) and B = E t^3/12/(1 - nu^2): 277 N/m and 2.3e-6 N m for the cotton
    const Settings& cotton = find_preset("cotton")->settings;
    const Settings& polyester = find_preset("polyester")->settings;

    EXPECT_NEAR(cotton.find("density")->number(), 0.150, 5e-4);
    EXPECT_NEAR(cotton.find("membrane")->find("stretch_warp")->number(), 277, 0.5);
    EXPECT_NEAR(cotton.find("bending")->find("warp")->number(), 2.3e-6, 5e-8);
    EXPECT_NEAR(polyester.find("membrane")->find("stretch_weft")->number(), 141, 0.5);
    EXPECT_NEAR(polyester.find("bending")->find("weft")->number(), 7.5e-7, 5e-9);
}

TEST(Materials, EveryPresetMakesAScene) {
    for (const std::string& name : preset_names()) {
        const Scene scene = load_scene("pinned", {"bodies[0].material=" + name});

        EXPECT_EQ(scene.description.bodies[0].material, name);
        EXPECT_FALSE(scene.description.materials.at(name).source.empty());
        EXPECT_NO_THROW(build(scene)) << name;
    }
}

}  // namespace
}  // namespace taffeta::scene

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/energy_audit.h"
#include "taffeta/sim/quasistatic.h"

/// Equilibria against closed forms, and what the search for them promises.
namespace taffeta::scene {
namespace {

BuiltScene built(const std::string& name, int vertices,
                 const std::vector<std::string>& overrides = {}) {
    return build(load_settings(builtin_scene(name, {vertices, ""}).settings, overrides));
}

/// The world of a scene, with the system in which its equilibria are found.
struct Problem {
    BuiltScene scene;
    sim::ClothSystem system;
    sim::QuasistaticOptions options;

    explicit Problem(BuiltScene from)
        : scene(std::move(from)), system(scene.world, *scene.tools.solver) {
        options = *scene.time.quasistatic;
        system.clear_constraints();
        for (const sim::Pin& pin : scene.world.pins)
            for (const Index vertex : pin.vertex)
                system.filter().fix(vertex);
        system.begin_step(1);
    }
    sim::EquilibriumReport solve() {
        return sim::find_equilibrium(scene.world, system, 0, options, scene.world.state.x);
    }
};

TEST(Quasistatic, TheStripHangsByRhoGLSquaredOverTwoK) {
    BuiltScene scene = built("hang-strip", 0);
    sim::Simulation simulation(std::move(scene.world), std::move(scene.tools), scene.time);

    ASSERT_TRUE(simulation.step().ok()) << simulation.message();

    // The middle of its lower edge; transverse threads are at rest, so it is one-dimensional.
    const double expected = 0.15 * 9.81 / (2 * 50);
    EXPECT_NEAR(-vec3(simulation.world().state.x, 2).y(), expected, 1e-4 * expected);
    EXPECT_EQ(simulation.world().state.v.norm(), 0);
}

TEST(Quasistatic, TheHeavyCantileverIsTheElastica) {
    // Gamma = 10: W/L = 0.656354, H/L = 0.700200; the plate misses them by 0.06 and 0.15 %.
    BuiltScene scene = built("cantilever", 0,
                             {"time.quasistatic={}", "time.frames=1", "solver=ldlt",
                              "materials.strip.bending.psd=clamp"});
    sim::Simulation simulation(std::move(scene.world), std::move(scene.tools), scene.time);

    ASSERT_TRUE(simulation.step().ok()) << simulation.message();

    Vec3 tip = Vec3::Zero();
    for (Index j = 0; j < 5; ++j)
        tip += vec3(simulation.world().state.x, j * 22 + 21) / 5;
    EXPECT_NEAR(tip.x() / 0.05, 0.656354, 0.003 * 0.656354);
    EXPECT_NEAR(-tip.z() / 0.05, 0.700200, 0.003 * 0.700200);
}

TEST(Quasistatic, BendsASoftBeamAsTimoshenkoSays) {
    BuiltScene scene = built("beam", 0,
                             {"time.quasistatic.tolerance=1e-6", "time.frames=1", "solver=ldlt",
                              "materials.rubber.solid.young=1e9"});
    sim::Simulation simulation(std::move(scene.world), std::move(scene.tools), scene.time);

    ASSERT_TRUE(simulation.step().ok()) << simulation.message();

    // A hundred times as stiff as the rubber: Timoshenko's 0.148680 m over 100.
    const mesh::TetMesh& solid = simulation.world().bodies[0].tets;
    double sum = 0;
    for (const Index vertex : solid.group.at("x_max"))
        sum +=
            solid.position[std::size_t(vertex)].z() - vec3(simulation.world().state.x, vertex).z();
    EXPECT_NEAR(sum / double(solid.group.at("x_max").size()), 0.00148680, 0.03 * 0.00148680);
}

TEST(Quasistatic, DrapesFromAnyStartWithoutARiseOfEnergy) {
    // Random starts of a small drape tester: some hang up, some are crumpled.
    for (unsigned seed = 1; seed <= 6; ++seed) {
        Problem problem(built("cusick", 91));
        sim::World& world = problem.scene.world;
        std::uint64_t state = seed;
        for (Index i = 0; i < world.vertex_count(); ++i)
            if (!problem.system.filter().find(i))
                for (int axis = 0; axis < 3; ++axis) {
                    state = state * 6364136223846793005u + 1442695040888963407u;
                    world.state.x[3 * i + axis] += 0.004 * (double(state >> 11) * 0x1p-52 - 1);
                }

        const sim::EquilibriumReport report = problem.solve();

        EXPECT_TRUE(report.ok()) << report.message;
        EXPECT_LE(report.gradient, 1e-8);
        EXPECT_LT(report.energy_end, report.energy_start);
        EXPECT_LE(report.largest_rise, 1e-12 * std::abs(report.energy_start));
    }
}

TEST(Quasistatic, ACrumpledStripUnfoldsWithAnIndefiniteStiffness) {
    // Half of a cell of noise folds triangles to slivers, whose exact bending stiffness is far below zero.
    Problem problem(
        built("cantilever", 100,
              {"time.quasistatic={}", "time.frames=1", "solver=ldlt",
               "materials.strip.membrane.psd=exact", "materials.strip.bending.psd=exact"}));
    sim::World& world = problem.scene.world;
    std::uint64_t state = 5;
    for (Index i = 0; i < world.vertex_count(); ++i)
        if (!problem.system.filter().find(i))
            for (int axis = 0; axis < 3; ++axis) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                world.state.x[3 * i + axis] += 0.00115 * (double(state >> 11) * 0x1p-52 - 1);
            }

    // And one nearly to nothing: two hinges on it bend by pi within 10 nm.
    const Triangle face = world.bodies[0].mesh.face[70];
    vec3(world.state.x, face[2]) =
        0.5 * (vec3(world.state.x, face[0]) + vec3(world.state.x, face[1])) + Vec3(0, 0, 1e-8);

    const sim::EquilibriumReport report = problem.solve();

    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_GT(report.refused, 0);  // the solver met indefinite matrices
    EXPECT_LE(report.largest_rise, 1e-12 * std::abs(report.energy_start));
}

TEST(Quasistatic, EndsAtTheRoundingOfPositionsWhenAskedForMore) {
    Problem problem(built("cantilever", 100,
                          {"time.quasistatic={\"tolerance\": 1e-13}", "time.frames=1",
                           "solver=ldlt", "materials.strip.bending.psd=clamp"}));

    const sim::EquilibriumReport report = problem.solve();

    EXPECT_EQ(report.status, sim::EquilibriumStatus::at_rounding) << report.message;
    EXPECT_TRUE(report.ok());
    EXPECT_GT(report.gradient, 1e-13);
    EXPECT_LE(report.gradient, report.floor);
    // k ulp(0.05 m) over the weight of a vertex, for k = 3000 N/m: 5e-9 of it.
    EXPECT_LT(report.floor, 5e-8);
}

TEST(Quasistatic, SaysWhyItStops) {
    Problem few(built("cusick", 91, {"time.quasistatic.max_iterations=3"}));
    Problem lost(built("cusick", 91));
    lost.scene.world.state.x[3 * 60] = std::numeric_limits<double>::quiet_NaN();

    const sim::EquilibriumReport stopped = few.solve(), broken = lost.solve();

    EXPECT_EQ(stopped.status, sim::EquilibriumStatus::max_iterations);
    EXPECT_NE(stopped.message.find("3 iterations left"), std::string::npos);
    EXPECT_EQ(broken.status, sim::EquilibriumStatus::not_finite);
    // A failed frame leaves the world as it was.
    BuiltScene scene = built("cusick", 91, {"time.quasistatic.max_iterations=3"});
    const VecX start = scene.world.state.x;
    sim::Simulation simulation(std::move(scene.world), std::move(scene.tools), scene.time);
    EXPECT_FALSE(simulation.step().ok());
    EXPECT_NE(simulation.message().find("frame 1"), std::string::npos);
    EXPECT_EQ(simulation.world().state.x, start);
}

TEST(Quasistatic, RefusesWhatHasNoEnergy) {
    const auto failure = [](const std::string& more) -> std::string {
        try {
            load_settings(parse_json(
                R"({"time": {"quasistatic": {}}, "bodies": [{"mesh": {"grid": {}}}])" + more + "}",
                "test.json"));
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    };

    EXPECT_EQ(failure(""), "");
    EXPECT_NE(failure(R"(, "air": {})").find("drag"), std::string::npos);
    EXPECT_NE(failure(R"(, "obstacles": [{"shape": "plane"}])").find("obstacles"),
              std::string::npos);
}

}  // namespace
}  // namespace taffeta::scene

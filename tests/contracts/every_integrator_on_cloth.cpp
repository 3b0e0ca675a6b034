#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ode/problems.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"

/// Every registered integrator steps a garment: pins that move are met to rounding, the floor keeps
/// its distance, a run resumes with the same bits, and all go the same way when steps are small, but
/// for those that replace the energies of the cloth by springs.
namespace taffeta::scene {
namespace {

/// A soft sheet of 0.3 m, with room for `{}`: the integrator, then the pins, then the obstacles.
sim::Simulation sheet(std::string_view integrator, const char* step, const char* pins,
                      const char* initial, const char* obstacles) {
    const std::string json = fmt::format(R"({{
      "up_axis": "Z", "time": {{"step": {}, "frames": 1, "retries": 0}},
      "integrator": "{}", "solver": "ldlt",
      "bodies": [{{"mesh": {{"grid": {{"columns": 5, "rows": 5, "width": 0.3, "height": 0.3}}}},
                  "material": "soft", "pins": [{}], "initial": {{"velocity": {}}}}}],
      "materials": {{"soft": {{"density": 0.15,
        "membrane": {{"type": "baraff_witkin", "stretch_warp": 50, "stretch_weft": 50, "shear": 25,
                     "tau_stretch": 1e-4}},
        "bending": {{"type": "hinge", "warp": 1e-6, "weft": 1e-6, "bias": 1e-6}}}}}},
      "obstacles": [{}]}})",
                                         step, integrator, pins, initial, obstacles);
    BuiltScene built = build(load_settings(parse_json(json, "sheet.json")));
    return sim::Simulation(std::move(built.world), std::move(built.tools), built.time);
}

class EveryIntegratorOnCloth : public ::testing::TestWithParam<const ode::IntegratorEntry*> {
  protected:
    std::string_view key() const { return GetParam()->key; }
};

class EveryIntegratorOfItsEnergies : public EveryIntegratorOnCloth {};

/// One edge is held, the one across is lifted to and fro.
sim::Simulation waved(std::string_view integrator) {
    return sheet(integrator, "0.0002", R"({"region": "u_min"}, {"region": "u_max", "motion":
                 {"keyframes": [{"time": 0}, {"time": 0.02, "translate": [0, 0, 0.01]},
                                {"time": 0.04, "translate": [-0.01, 0, 0]}]}})",
                 "[0, 0, 0]", "");
}

TEST_P(EveryIntegratorOfItsEnergies, GoesWhereRungeKuttaGoes) {
    sim::Simulation tested = waved(key()), reference = waved("rk4");

    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(tested.step().ok()) << i << ": " << tested.message();
        ASSERT_TRUE(reference.step().ok()) << i << ": " << reference.message();
    }

    const VecX &start = tested.world().initial_x, &x = reference.world().state.x;
    EXPECT_GT((x - start).lpNorm<Eigen::Infinity>(), 5e-3);
    EXPECT_LE((tested.world().state.x - x).lpNorm<Eigen::Infinity>(), 2e-4);
}

TEST_P(EveryIntegratorOnCloth, MeetsMovingPinsToRounding) {
    sim::Simulation tested = waved(key());
    for (int i = 0; i < 150; ++i)
        ASSERT_TRUE(tested.step().ok()) << i << ": " << tested.message();

    // t = 0.03: half-way from (0, 0, 0.01) to (-0.01, 0, 0)
    const sim::World& world = tested.world();
    int held = 0;
    for (Index i = 0; i < world.vertex_count(); ++i) {
        const Vec3 rest = vec3(world.initial_x, i);
        if (rest.x() < 0.299) continue;
        ++held;
        EXPECT_LE((vec3(world.state.x, i) - rest - Vec3(-0.005, 0, 0.005)).norm(), 1e-12);
    }
    EXPECT_EQ(held, 6);
}

TEST_P(EveryIntegratorOnCloth, StaysAboveTheFloor) {
    // At 1 m/s the floor at 5 mm is met in the middle of a step, in two hops for some vertices.
    sim::Simulation tested = sheet(key(), "0.0003", "", "[0.2, 0, -1]", R"({"shape":
        {"type": "plane", "point": [0, 0, -0.005], "normal": [0, 0, 1]}, "friction": 0.3})");
    const double floor = -0.005 + 0.001;  // and the default thickness

    for (int i = 0; i < 60; ++i) {
        ASSERT_TRUE(tested.step().ok()) << i << ": " << tested.message();
        for (Index k = 0; k < tested.world().vertex_count(); ++k)
            ASSERT_GE(vec3(tested.world().state.x, k).z(), floor - 1e-9) << "step " << i;
    }

    double lowest = 1;
    for (Index k = 0; k < tested.world().vertex_count(); ++k)
        lowest = std::min(lowest, vec3(tested.world().state.x, k).z());
    EXPECT_LE(lowest, floor + 1e-4);
}

TEST_P(EveryIntegratorOnCloth, ResumesWithTheSameBits) {
    sim::Simulation first = waved(key()), second = waved(key());
    for (int i = 0; i < 20; ++i)
        ASSERT_TRUE(first.step().ok());

    second.load(first.save());
    for (int i = 0; i < 20; ++i) {
        first.step();
        second.step();
    }

    EXPECT_EQ(first.world().state.x, second.world().state.x);
    EXPECT_EQ(first.world().state.v, second.world().state.v);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryIntegratorOfItsEnergies,
                         ::testing::ValuesIn(ode::testing::general_integrators()),
                         [](const auto& tested) { return std::string(tested.param->key); });
INSTANTIATE_TEST_SUITE_P(Registered, EveryIntegratorOnCloth,
                         ::testing::ValuesIn(ode::integrators().begin(), ode::integrators().end()),
                         [](const auto& tested) { return std::string(tested.param->key); });

}  // namespace
}  // namespace taffeta::scene

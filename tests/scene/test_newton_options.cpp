#include <fmt/format.h>
#include <gtest/gtest.h>

#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"

/// `newton` of a scene on cloth: every type goes where Newton goes, and a tolerance below what rounding
/// allows ends at the floor and says so.
namespace taffeta::scene {
namespace {

/// A soft sheet that hangs from one edge, and falls for some steps of 2 ms.
sim::StepRecord hang(const std::string& newton, const char* solver, VecX& x, int steps = 25) {
    const std::string json = fmt::format(R"({{
      "up_axis": "Z", "time": {{"step": 0.002, "frames": 1, "retries": 0}},
      "integrator": "backward_euler", "newton": {}, "solver": {},
      "bodies": [{{"mesh": {{"grid": {{"columns": 5, "rows": 5, "width": 0.3, "height": 0.3}}}},
                  "material": "soft", "pins": [{{"region": "u_min"}}]}}],
      "materials": {{"soft": {{"density": 0.15,
        "membrane": {{"type": "baraff_witkin", "stretch_warp": 50, "stretch_weft": 50, "shear": 25,
                     "tau_stretch": 1e-4}},
        "bending": {{"type": "hinge", "warp": 1e-6, "weft": 1e-6, "bias": 1e-6}}}}}}}})",
                                         newton, solver);
    BuiltScene built = build(load_settings(parse_json(json, "sheet.json")));
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    sim::StepRecord record;
    for (int i = 0; i < steps; ++i) {
        record = simulation.step();
        EXPECT_TRUE(record.ok()) << newton << ": " << simulation.message();
    }
    x = simulation.world().state.x;
    return record;
}

TEST(NewtonOptions, EveryTypeGoesWhereNewtonGoes) {
    VecX expected, found;
    hang(R"({"tolerance": 1e-9, "max_iterations": 200})", R"("ldlt")", expected);

    for (const char* type :
         {R"("type": "inexact")", R"("type": "inexact", "forcing": "eisenstat_walker", "eta": 0.5)",
          R"("type": "simplified")"}) {
        const std::string newton =
            fmt::format(R"({{{}, "tolerance": 1e-9, "max_iterations": 200}})", type);
        const sim::StepRecord record = hang(newton, R"("prefiltered_pcg")", found);

        EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), 1e-9) << type;
        EXPECT_EQ(record.integration.newton_floor, 0) << type;
        EXPECT_GT(record.integration.linear_iterations, 0) << type;
    }
}

TEST(NewtonOptions, TheMatrixOfSpringsGoesThereInSmallerSteps) {
    VecX expected, found;
    hang(R"({"tolerance": 1e-9, "max_iterations": 200})", R"("ldlt")", expected, 5);

    const sim::StepRecord record = hang(
        R"({"type": "springs", "tolerance": 1e-9, "max_iterations": 2000})", R"("ldlt")", found, 5);

    EXPECT_LE((found - expected).lpNorm<Eigen::Infinity>(), 1e-9);
    EXPECT_GT(record.integration.newton_iterations, 5);
}

TEST(NewtonOptions, TheMatrixOfSpringsRunsTheScenesByName) {
    for (const char* name : {"drooping", "flag"}) {
        const Settings scene = builtin_scene(name, {150, ""}).settings;
        const auto made = [&](const char* newton) {
            BuiltScene built = build(load_settings(
                scene, {"integrator=backward_euler", newton, "newton.max_iterations=500",
                        "newton.tolerance=1e-4", "time.step=0.0005", "time.retries=0"}));
            return sim::Simulation(std::move(built.world), std::move(built.tools), built.time);
        };
        sim::Simulation tested = made("newton.type=springs"), exact = made("newton.type=newton");
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(tested.step().ok()) << name << ": " << tested.message();
            ASSERT_TRUE(exact.step().ok()) << name << ": " << exact.message();
        }

        const VecX& x = exact.world().state.x;
        EXPECT_GT((x - exact.world().initial_x).lpNorm<Eigen::Infinity>(), 1e-4) << name;
        EXPECT_LE((tested.world().state.x - x).lpNorm<Eigen::Infinity>(), 1e-6) << name;
    }
}

TEST(NewtonOptions, AToleranceBelowRoundingEndsAtTheFloor) {
    VecX x;

    const sim::StepRecord record =
        hang(R"({"tolerance": 1e-19, "max_iterations": 200})", R"("ldlt")", x);

    EXPECT_GT(record.integration.newton_floor, 1e-19);
    EXPECT_LE(record.integration.newton_floor, 1e-10);
    EXPECT_LE(record.integration.newton_residual, record.integration.newton_floor);
}

TEST(NewtonOptions, AMisspeltTypeIsRefused) {
    VecX x;
    EXPECT_THROW(hang(R"({"type": "newtno"})", R"("ldlt")", x, 0), Error);
}

}  // namespace
}  // namespace taffeta::scene

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "scene/simulations.h"
#include "taffeta/ode/adaptive.h"
#include "taffeta/ode/integrator.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"

/// Integrators by their names in scenes: every one runs, and one that diverges says so.
namespace taffeta::scene {
namespace {

sim::Simulation made(const char* name, const std::string& integrator, const char* step) {
    BuiltScene built = build(load_settings(
        builtin_scene(name, {150, ""}).settings,
        {"integrator=" + integrator, std::string("time.step=") + step, "time.retries=0"}));
    return {std::move(built.world), std::move(built.tools), built.time};
}

TEST(IntegratorsByName, EveryOneRunsDroopingAndFlag) {
    for (const char* name : {"drooping", "flag"})
        for (const ode::IntegratorEntry* entry : ode::integrators()) {
            // Short enough for explicit methods, also those that are not stable without damping.
            sim::Simulation simulation = made(name, std::string(entry->key), "2e-5");
            const VecX start = simulation.world().state.x;
            for (int i = 0; i < 12; ++i)
                ASSERT_TRUE(simulation.step().ok())
                    << name << ", " << entry->key << ": " << simulation.message();

            const double t = simulation.world().state.t;
            EXPECT_NEAR(t, 12 * 2e-5, 1e-15) << name << ", " << entry->key;
            // No vertex falls faster than freely, nor is blown away in so short a time.
            EXPECT_LE((simulation.world().state.x - start).cwiseAbs().maxCoeff(), 20 * t)
                << name << ", " << entry->key;
            EXPECT_GT((simulation.world().state.x - start).norm(), 0) << name << ", " << entry->key;
        }
}

TEST(IntegratorsByName, OneThatDivergesStopsWithASentenceAndTheLastGoodState) {
    for (const char* integrator : {"explicit_euler", "symplectic_euler_a", "velocity_verlet",
                                   "adams_bashforth3", "sofa_euler_explicit"}) {
        sim::Simulation simulation = made("drooping", integrator, "0.01");
        sim::StepRecord record;
        for (int i = 0; i < 400; ++i) {
            record = simulation.step();
            if (!record.ok()) break;
            for (const auto& energy : simulation.world().energies)
                EXPECT_TRUE(std::isfinite(energy->value(simulation.world().state.x)))
                    << integrator << ", " << energy->name();
        }

        EXPECT_EQ(record.integration.solve.status, SolveStatus::not_finite) << integrator;
        EXPECT_NE(record.integration.solve.message.find("vertex"), std::string::npos)
            << integrator << ": " << record.integration.solve.message;
        EXPECT_LE(simulation.world().state.x.cwiseAbs().maxCoeff(), 1e30) << integrator;
    }
}

/// A sheet whose steps adapt, by Heun's method with or without the error of Euler's.
Scene sheet_by_tableau(const std::filesystem::path& file, const char* b_hat) {
    std::ofstream(file) << "stages 2\nc 0 1\na 0 0\na 1 0\nb 1/2 1/2\n" << b_hat;
    return load_settings(parse_json(
        R"({"time": {"adaptive": {"absolute_position": 1e-5, "absolute_velocity": 1e-2,
                                  "per_run": true},
                     "frame_rate": 1000, "frames": 2},
            "integrator": {"type": "explicit_tableau", "file": ")" +
            file.string() + R"("},
            "bodies": [{"mesh": {"grid": {"columns": 4, "rows": 4}}, "material": "cotton"}]})",
        "sheet.json"));
}

TEST(IntegratorsByName, ATableauWithItsErrorAdaptsTheStepsOfAScene) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                       ("taffeta_tableau_" + std::to_string(::getpid()) + ".txt");
    BuiltScene built = build(sheet_by_tableau(file, "b_hat 1 0\n"));
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    struct Watch final : sim::Observer {
        std::vector<double> errors;
        void on_step(const sim::World&, const sim::StepRecord& record) override {
            errors.push_back(record.error);
        }
    } watch;
    simulation.add_observer(watch);

    ASSERT_EQ(simulation.advance(), sim::RunStatus::done) << simulation.message();

    EXPECT_GE(watch.errors.size(), 4u);
    for (const double error : watch.errors) {
        EXPECT_GT(error, 0);
        EXPECT_LE(error, 1);
    }

    EXPECT_THROW(sheet_by_tableau(file, ""), Error);
    std::filesystem::remove(file);
}

TEST(IntegratorsByName, StepsThatAdaptTakeTheDefaultMethodForThem) {
    const Scene scene = load_settings(parse_json(
        R"({"time": {"adaptive": {}, "frames": 1},
            "bodies": [{"mesh": {"grid": {"columns": 2, "rows": 2}}, "material": "cotton"}]})",
        "sheet.json"));

    EXPECT_EQ(scene.description.integrator.completed().find("type")->string(),
              ode::default_adaptive_integrator);
}

}  // namespace
}  // namespace taffeta::scene

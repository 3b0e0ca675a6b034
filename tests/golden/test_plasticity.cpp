#include <gtest/gtest.h>

#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/energy_audit.h"

/// Cloth that creases, in whole simulations.
namespace taffeta::scene {
namespace {

sim::Simulation strip_with(const std::string& bending) {
    BuiltScene built = build(load_settings(
        builtin_scene("cantilever", {60, ""}).settings,
        {"time.frames=4", "solver=ldlt",
         "materials.strip.bending={\"type\": \"hinge\", \"stiffness\": 2e-5, \"tau\": 0.05" +
             bending + "}"}));
    return sim::Simulation(std::move(built.world), std::move(built.tools), built.time);
}

double bending_energy(sim::Simulation& simulation) {
    return sim::audit(simulation.world()).of("bend");
}

TEST(CreasingStrip, StoresLessEnergyThanAnElasticOneAndFallsFurther) {
    sim::Simulation elastic = strip_with(""), creasing = strip_with(", \"yield\": 5");

    ASSERT_EQ(elastic.advance(), sim::RunStatus::done) << elastic.message();
    ASSERT_EQ(creasing.advance(), sim::RunStatus::done) << creasing.message();

    EXPECT_LT(bending_energy(creasing), 0.8 * bending_energy(elastic));
    EXPECT_LT(sim::audit(creasing.world()).of("gravity"),
              sim::audit(elastic.world()).of("gravity"));
}

TEST(CreasingStrip, GoesOnFromACheckpointWithTheSameBits) {
    sim::Simulation whole = strip_with(", \"yield\": 5"), first = strip_with(", \"yield\": 5"),
                    second = strip_with(", \"yield\": 5");

    ASSERT_EQ(whole.advance(4), sim::RunStatus::done);
    ASSERT_EQ(first.advance(2), sim::RunStatus::done);
    second.load(first.save());
    ASSERT_EQ(second.advance(4), sim::RunStatus::done);

    EXPECT_EQ(sim::state_hash(second.world()), sim::state_hash(whole.world()));
    EXPECT_EQ(bending_energy(second), bending_energy(whole));
}

}  // namespace
}  // namespace taffeta::scene

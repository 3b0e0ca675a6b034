#include <gtest/gtest.h>

#include <cmath>

#include "ode/problems.h"
#include "ode/study_helpers.h"
#include "taffeta/ode/study/advice.h"
#include "taffeta/ode/study/conservation.h"

/// Energies, momenta and the symplectic form against exact laws and an independent computation.
namespace taffeta::ode::study {
namespace {

using namespace testing;

/// A spring with w = 1 from x = 1, v = 0, about 0.
std::unique_ptr<Problem> unit_spring() {
    return make_problem("spring_1d", options({{"rest_length", 0}, {"x", 1}}));
}

TEST(StudyEnergy, OfEulersMethodsOnASpringFollowsTheirLaw) {
    const auto problem = unit_spring();

    // E grows by 1 + w^2 a step, and falls by it
    const auto up = measure_conservation(method("explicit_euler"), *problem, 0.3, 50);
    const auto down = measure_conservation(method("backward_euler"), *problem, 0.3, 50);

    EXPECT_NEAR(up.last_energy / std::pow(1.09, 50), 1, 1e-11);
    EXPECT_NEAR(down.last_energy * std::pow(1.09, 50), 1, 1e-8);
    EXPECT_EQ(up.steps, 50);
}

TEST(StudyEnergy, OverAThousandStepsStaysInTheBandsOfTheReference) {
    const auto problem = unit_spring();
    struct Expected {
        const char* key;
        double h, lowest, highest;
    };
    for (const auto& [key, h, lowest, highest] :
         {Expected{"symplectic_euler_a", 0.2, 0.9090924283, 1.1111108865},
          {"symplectic_euler_a", 1.0, 1, 2},
          {"velocity_verlet", 0.2, 0.9900001099, 1},
          {"velocity_verlet", 1.0, 0.8125, 1},
          {"rk4", 0.2, 0.9991159462, 1},
          {"implicit_midpoint", 1.0, 1, 1}}) {
        const auto found = measure_conservation(method(key), *problem, h, 1000);

        EXPECT_NEAR(found.lowest_energy, lowest, 1e-8) << key << " " << h;
        EXPECT_NEAR(found.highest_energy, highest, 1e-8) << key << " " << h;
    }
    EXPECT_NEAR(measure_conservation(method("rk4"), *problem, 1, 1000).last_energy,
                4.8953412542e-06, 1e-12);
}

TEST(StudyEnergy, OnKeplersOrbitIsThatOfTheReference) {
    // 4000 steps of 0.05: dL and dE from e = 0.36, where E = -0.68 and L = 0.8
    const auto problem = make_problem("kepler");
    const auto verlet = measure_conservation(method("velocity_verlet"), *problem, 0.05, 4000);
    const auto euler = measure_conservation(method("symplectic_euler_a"), *problem, 0.05, 4000);
    const auto rk4 = measure_conservation(method("rk4"), *problem, 0.05, 4000);

    EXPECT_LE(verlet.angular_momentum_error, 1e-13);
    EXPECT_LE(euler.angular_momentum_error, 1e-13);
    EXPECT_NEAR(rk4.angular_momentum_error * 0.8, 1.02e-4, 1e-6);
    EXPECT_NEAR(verlet.energy_error * 0.68, -3.55e-3, 1e-5);
    EXPECT_NEAR(euler.energy_error * 0.68, -1.08e-2, 1e-4);
    EXPECT_NEAR(rk4.energy_error * 0.68, -3.65e-4, 1e-6);
}

TEST(StudyEnergy, HasNoNumberWhereAProblemHasNoInvariant) {
    const auto problem = make_problem("hauth_1a");

    const auto found = measure_conservation(method("rk4"), *problem, 0.1, 10);

    EXPECT_TRUE(found.ok);
    EXPECT_TRUE(std::isnan(found.last_energy));
    EXPECT_TRUE(std::isnan(found.momentum_error));
}

TEST(StudyEnergy, SaysWhatItIsRelativeTo) {
    // A flat sheet at rest at height 0 has no energy to be relative to.
    const auto sheet = make_problem("spring_sheet", options({{"side", 3}}));
    const auto fall = make_problem("free_fall", options({{"gravity", 1}}));

    const auto in_joules = measure_conservation(method("rk4"), *sheet, 0.001, 10);
    const auto relative = measure_conservation(method("rk4"), *fall, 0.1, 10);

    EXPECT_FALSE(in_joules.energy_relative);
    EXPECT_NEAR(in_joules.last_energy, 0, 1e-6);
    EXPECT_TRUE(relative.energy_relative);
    EXPECT_NEAR(relative.last_energy, 1, 1e-12);
    EXPECT_TRUE(relative.momentum_relative);
    // From (1, 0, 2) to (1, 0, 1) in a second under g = 1
    EXPECT_NEAR(relative.momentum_error, 1 / std::sqrt(5.0), 1e-12);
}

TEST(StudySymplecticity, TellsTheMethodsApart) {
    const auto problem = make_problem("kepler");
    for (const IntegratorEntry* entry : ode::testing::general_integrators()) {
        const Symplecticity found = measure_symplecticity(*entry, *problem, 0.1, 3);

        if (entry->properties.symplectic) {
            EXPECT_LE(found.defect, 1e-9) << entry->key;
            EXPECT_NEAR(found.determinant, 1, 1e-9) << entry->key;
        }
    }
    EXPECT_GE(measure_symplecticity(method("trapezoid"), *problem, 0.1, 3).defect, 1e-4);
    EXPECT_GE(measure_symplecticity(method("rk4"), *problem, 0.1, 3).defect, 1e-8);
}

TEST(StudyAdvice, TakesImplicitMethodsWhereAProblemIsStiff) {
    // Two time scales: gravity swings a sheet of very stiff, damped springs.
    const auto stiff = make_problem(
        "spring_sheet", options({{"side", 3}, {"stiffness", 300}, {"damping", 3}, {"end", 0.2}}));
    const auto soft = make_problem("kepler");

    const Advice on_stiff = advise(*stiff, 0.05, advised_candidates());
    const Advice on_soft = advise(*soft, 0.01, advised_candidates());

    EXPECT_GE(on_stiff.stiffness_ratio, 20);
    EXPECT_TRUE(method(on_stiff.method).properties.implicit) << on_stiff.method;
    EXPECT_LE(on_soft.stiffness_ratio, 20);
    EXPECT_FALSE(method(on_soft.method).properties.implicit) << on_soft.method;
    EXPECT_EQ(on_soft.spectrum.damping, 0);
    EXPECT_GE(on_soft.reasons.size(), 4u);
}

TEST(StudyAdvice, MeasuresTheSpectrumOfASpring) {
    // z'' = -1000 z - 10 z': w^2 = 1000, damping ratio 10/(2 sqrt 1000), |lambda| = sqrt 1000
    const auto problem = make_problem("hauth_3");

    const Spectrum found = measure_spectrum(*problem, problem->start);

    EXPECT_NEAR(found.stiffness, 1000, 1e-9);
    EXPECT_NEAR(found.damping_ratio(), 10 / (2 * std::sqrt(1000.0)), 1e-12);
    EXPECT_NEAR(found.fastest_rate(), std::sqrt(1000.0), 1e-10);
    // y' = (-1 + 2 i) y
    const auto turning = make_problem("dahlquist");
    EXPECT_NEAR(measure_spectrum(*turning, turning->start).fastest_rate(), std::sqrt(5.0), 1e-10);
}

}  // namespace
}  // namespace taffeta::ode::study

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ode/problems.h"

/// Integrators that declare an estimate of their local error: it has the power of h that it says,
/// is no smaller than the error that the step really makes, and is none where all is prescribed.
namespace taffeta::ode {
namespace {

using namespace testing;

class EveryErrorEstimate : public ::testing::TestWithParam<const IntegratorEntry*> {};

struct Measured {
    double estimate, error;
    int power;
};

/// The last of some equal steps that end at t = 2, whatever h: its estimate, and its error against a
/// fine run from where it began.
Measured last_step(const IntegratorEntry& entry, Problem problem, double h) {
    const int before = entry.properties.starting_steps + 2;
    State state = problem.start;
    problem.end = 2 - (before + 1) * h;
    state = runge_kutta(problem, 400);
    const auto integrator = fresh(entry);
    for (int i = 0; i < before; ++i)
        EXPECT_TRUE(integrator->step(problem.system, state, h).ok());
    Problem rest = problem;
    rest.start = state;
    rest.end = state.t + h;
    EXPECT_TRUE(integrator->step(problem.system, state, h).ok());
    const ErrorEstimate* estimate = integrator->local_error();
    if (!estimate) throw std::runtime_error("no estimate");
    return {std::hypot(estimate->x.norm(), estimate->v.norm()),
            distance(state, runge_kutta(rest, 50)), estimate->power};
}

TEST_P(EveryErrorEstimate, ShrinksWithItsPowerAndCoversTheError) {
    // steps for which an error of that order is above rounding
    const double h = GetParam()->properties.order > 6 ? 0.1 : 0.02;
    for (const Problem& problem : {oscillator(9, 2), pendulum(), driven(), chain(0.5)}) {
        const Measured coarse = last_step(*GetParam(), problem, h);
        const Measured fine = last_step(*GetParam(), problem, h / 2);

        EXPECT_NEAR(std::log2(coarse.estimate / fine.estimate), fine.power,
                    0.05 * fine.power + 0.15)
            << problem.name;
        EXPECT_GE(fine.estimate, 0.8 * fine.error) << problem.name;
    }
}

TEST_P(EveryErrorEstimate, IsZeroWherePrescribed) {
    // Particle 1 of the chain is held, particle 2 may not leave a plane.
    Problem problem = chain(0.5);
    DenseSystem& system = problem.system;
    const Vec3 normal = Vec3(1, 2, 2) / 3;
    system.S.topLeftCorner<3, 3>().setZero();
    system.S.block<3, 3>(3, 3) -= normal * normal.transpose();
    const auto integrator = fresh(*GetParam());
    State state = problem.start;

    for (int i = 0; i < GetParam()->properties.starting_steps + 2; ++i) {
        system.start = state.v;
        system.h = 0.02;
        ASSERT_TRUE(integrator->step(system, state, system.h).ok());
    }

    const ErrorEstimate* estimate = integrator->local_error();
    ASSERT_NE(estimate, nullptr);
    const MatX forbidden = MatX::Identity(9, 9) - system.S;
    EXPECT_LE((forbidden * estimate->x).norm(), 1e-15);
    EXPECT_LE((forbidden * estimate->v).norm(), 1e-15);
    EXPECT_GT(estimate->v.norm(), 1e-14);
}

std::vector<const IntegratorEntry*> that_estimate() {
    std::vector<const IntegratorEntry*> entries;
    for (const IntegratorEntry* entry : integrators())
        if (entry->properties.estimates_error) entries.push_back(entry);
    return entries;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryErrorEstimate, ::testing::ValuesIn(that_estimate()),
                         [](const auto& tested) { return std::string(tested.param->key); });

}  // namespace
}  // namespace taffeta::ode

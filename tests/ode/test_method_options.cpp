#include <gtest/gtest.h>

#include "ode/problems.h"

/// What the options of Newmark's and of the alpha methods promise.
namespace taffeta::ode {
namespace {

using namespace testing;

std::unique_ptr<Integrator> make(std::string_view key,
                                 const std::vector<std::pair<const char*, double>>& options) {
    Settings settings = Settings::object();
    for (const auto& [name, value] : options)
        settings[name] = Settings::of(value);
    auto made = find_entry(integrators(), "integrator", key).make(settings);
    made->set_newton({.tolerance = 1e-8});
    return made;
}

double order_on_the_damped_spring(std::string_view key,
                                  const std::vector<std::pair<const char*, double>>& options) {
    const Problem problem = oscillator(9, 2);
    const State exact = reference(problem);
    const double coarse = distance(run(*make(key, options), problem, 1000), exact);
    const double fine = distance(run(*make(key, options), problem, 2000), exact);
    return std::log2(coarse / fine);
}

/// Size of (w x, v) over that of the start after steps h = 1 of x'' = -w^2 x.
double growth(Integrator& integrator, double w, int steps) {
    Problem problem = oscillator(w * w, 0);
    problem.start = {0, scalar(1), scalar(w)};
    problem.end = steps;
    problem.system.scale = w * w;
    const State end = run(integrator, problem, steps);
    return std::hypot(w * end.x[0], end.v[0]) / (std::sqrt(2) * w);
}

TEST(Newmark, IsOfSecondOrderOnlyForGammaOneHalf) {
    EXPECT_NEAR(order_on_the_damped_spring("newmark", {{"beta", 0}}), 2, 0.05);
    EXPECT_NEAR(order_on_the_damped_spring("newmark", {{"beta", 1.0 / 6}}), 2, 0.05);
    EXPECT_NEAR(order_on_the_damped_spring("newmark", {{"beta", 0.3025}, {"gamma", 0.6}}), 1, 0.05);
}

TEST(Newmark, IsStableUpToItsLimit) {
    // w = 1/sqrt(gamma/2 - beta)
    for (const double beta : {0.0, 1.0 / 12, 1.0 / 6, 0.2}) {
        const double limit = 1 / std::sqrt(0.25 - beta);

        EXPECT_LE(growth(*make("linearised_newmark", {{"beta", beta}}), 0.99 * limit, 300), 20)
            << beta;
        EXPECT_GE(growth(*make("linearised_newmark", {{"beta", beta}}), 1.01 * limit, 300), 1e6)
            << beta;
    }
}

TEST(GeneralisedAlpha, IsOfSecondOrderForEveryDamping) {
    for (const double r : {0.0, 0.3, 0.5, 0.9, 1.0})
        EXPECT_NEAR(order_on_the_damped_spring("generalised_alpha", {{"rho_infinity", r}}), 2, 0.05)
            << r;
    for (const double alpha : {0.0, 0.1, 0.3, 1.0 / 3})
        EXPECT_NEAR(order_on_the_damped_spring("hht_alpha", {{"alpha", alpha}}), 2, 0.05) << alpha;
}

TEST(GeneralisedAlpha, DampsFastVibrationsByItsFactorAStep) {
    // A triple root at infinity, |u_n| ~ n^2 r^n, of which the power of n is divided out.
    for (const double r : {0.7, 0.8, 0.9}) {
        const auto size = [&](int steps) {
            return growth(*make("generalised_alpha", {{"rho_infinity", r}}), 1e3, steps);
        };

        EXPECT_NEAR(std::pow(size(20) / size(10) / 4, 0.1), r, 0.1 * r) << r;
    }
}

TEST(GeneralisedAlpha, WithoutDampingIsTheMidpointRuleOnSprings) {
    const Problem problem = oscillator(9, 0);
    const State alpha = run(*make("generalised_alpha", {{"rho_infinity", 1}}), problem, 50);
    const State midpoint = run(*make("implicit_midpoint", {}), problem, 50);
    const State hht = run(*make("hht_alpha", {{"alpha", 0}}), problem, 50);
    const State trapezoid = run(*make("trapezoid", {}), problem, 50);

    EXPECT_LE(distance(hht, trapezoid), 1e-10);
    EXPECT_LE(distance(hht, midpoint), 1e-10);
    EXPECT_LE(distance(alpha, midpoint), 2e-2);
}

TEST(Bdf2, StartsAgainWhereTheStepGrowsTooFast) {
    // It is not zero-stable for steps that grow more than 1 + sqrt 2 times.
    Problem problem = oscillator(4, 0);
    for (const double ratio : {2.0, 3.0}) {
        const auto tested = make("bdf2", {}), start = make("sdirk2", {});
        State state = problem.start;
        for (int i = 0; i < 3; ++i)
            ASSERT_TRUE(tested->step(problem.system, state, 0.01).ok());
        State other = state;

        ASSERT_TRUE(tested->step(problem.system, state, 0.01 * ratio).ok());
        ASSERT_TRUE(start->step(problem.system, other, 0.01 * ratio).ok());

        EXPECT_EQ(state.x == other.x, ratio > 2.4) << ratio;
    }
}

TEST(Constraints, AReleasedVertexIsNotThrown) {
    // A vertex falls at 5 m/s on a floor that holds it for one step and lets go, without forces.
    for (const IntegratorEntry* entry : general_integrators()) {
        Problem problem = oscillator(0, 0);
        DenseSystem& system = problem.system;
        system.persists = false;
        State state{0, scalar(0.2), scalar(-5)};
        const auto integrator = fresh(*entry);
        const auto step = [&](bool held) {
            system.h = 0.01;
            system.S(0, 0) = held ? 0 : 1;
            system.start = state.v;
            system.velocity.setZero();
            return integrator->step(system, state, system.h).ok();
        };
        for (int i = 0; i < 3; ++i)
            ASSERT_TRUE(step(false));
        ASSERT_TRUE(step(true));
        const double place = state.x[0];

        for (int i = 0; i < 3; ++i)
            ASSERT_TRUE(step(false));

        EXPECT_NEAR(place, 0.05, 1e-12) << entry->key;
        EXPECT_NEAR(state.x[0], place, 1e-12) << entry->key;
        EXPECT_NEAR(state.v[0], 0, 1e-12) << entry->key;
    }
}

TEST(Constraints, APositionAlterationIsNoVelocity) {
    // A free particle at 1 m/s is shifted once, in a step of its own.
    for (const IntegratorEntry* entry : general_integrators()) {
        Problem problem = oscillator(0, 0);
        State state{0, scalar(0), scalar(1)};
        const auto integrator = fresh(*entry);

        for (int i = 0; i < 8; ++i) {
            problem.system.y = i == 3 ? scalar(0.5) : VecX();
            ASSERT_TRUE(integrator->step(problem.system, state, 0.1).ok());
        }

        EXPECT_NEAR(state.x[0], 0.8 + 0.5, 1e-12) << entry->key;
        EXPECT_NEAR(state.v[0], 1, 1e-12) << entry->key;
    }
}

}  // namespace
}  // namespace taffeta::ode

#include <gtest/gtest.h>

#include <complex>

#include "spring_system.h"
#include "taffeta/ode/integrator.h"

namespace taffeta::ode {
namespace {

std::unique_ptr<Integrator> make(std::string_view key) {
    auto made = find_entry(integrators(), "integrator", key).make(Settings());
    made->set_newton({.max_iterations = 50, .tolerance = 1e-13});
    return made;
}

std::array<const IntegratorEntry*, 2> backward_euler_entries() {
    return {&find_entry(integrators(), "integrator", "backward_euler"),
            &find_entry(integrators(), "integrator", "linearised_backward_euler")};
}

State start(double x, double v) {
    return {0, VecX::Constant(1, x), VecX::Constant(1, v)};
}

/// Error in x at t = 1 of m x'' + c x' + k x = 0, x(0) = 1, x'(0) = 0, against the closed form.
double error_after_one_second(Integrator& integrator, int steps) {
    SpringSystem spring;
    spring.k = 9;
    spring.c = 2;
    State state = start(1, 0);
    for (int i = 0; i < steps; ++i)
        integrator.step(spring, state, 1.0 / steps);
    const double omega = std::sqrt(8.0);  // sqrt(k - c^2/4)
    const double exact = std::exp(-1.0) * (std::cos(omega) + std::sin(omega) / omega);
    return std::abs(state.x[0] - exact);
}

TEST(BackwardEuler, OrderIsOne) {
    for (const IntegratorEntry* entry : backward_euler_entries()) {
        const auto integrator = make(entry->key);

        const double coarse = error_after_one_second(*integrator, 400);
        const double fine = error_after_one_second(*integrator, 800);

        EXPECT_NEAR(std::log2(coarse / fine), entry->properties.order, 0.05) << entry->key;
    }
}

TEST(BackwardEuler, OneStepOfTheOscillatorIsTheClosedForm) {
    // (v1, x1): v1 = (v - h w^2 x) / (1 + h^2 w^2), x1 = x + h v1
    for (const IntegratorEntry* entry : backward_euler_entries()) {
        SpringSystem spring;
        spring.k = 100;
        State state = start(0.3, -2);
        const double h = 0.05;

        const StepReport report = make(entry->key)->step(spring, state, h);

        const double v1 = (-2 - h * 100 * 0.3) / (1 + h * h * 100);
        EXPECT_TRUE(report.ok());
        EXPECT_NEAR(state.v[0], v1, 1e-14);
        EXPECT_NEAR(state.x[0], 0.3 + h * v1, 1e-14);
        EXPECT_EQ(state.t, h);
    }
}

TEST(BackwardEuler, IsLStable) {
    for (const IntegratorEntry* entry : backward_euler_entries()) {
        SpringSystem spring;
        spring.k = 1e12;
        State state = start(1, 0);

        make(entry->key)->step(spring, state, 1.0);

        EXPECT_LT(std::abs(state.x[0]), 1e-11) << entry->key;
    }
}

TEST(BackwardEuler, NewtonSolvesTheCubicSpringAndTheLinearisedFormIsOneIteration) {
    SpringSystem spring;
    spring.q = 50;
    const double h = 0.1;
    State newton = start(1, 0), linearised = start(1, 0);

    make("backward_euler")->step(spring, newton, h);
    make("linearised_backward_euler")->step(spring, linearised, h);

    // v1 = h f(x1): the residual of the nonlinear equation, and the value of one Newton step.
    const double x1 = newton.x[0];
    EXPECT_NEAR(newton.v[0], h * (-x1 - 50 * x1 * x1 * x1), 1e-12);
    EXPECT_NEAR(linearised.v[0], h * (-1 - 50.0) / (1 + h * h * (1 + 150.0)), 1e-14);
}

TEST(BackwardEuler, NewtonConvergesQuadratically) {
    SpringSystem spring;
    spring.q = 50;
    State state = start(1, 0);

    const StepReport report = make("backward_euler")->step(spring, state, 0.1);

    EXPECT_LE(report.newton_iterations, 6);
    EXPECT_EQ(report.linear_solves, report.newton_iterations);
    EXPECT_EQ(report.force_evaluations, spring.force_evaluations);
}

TEST(BackwardEuler, PrescribedAccelerationIsKept) {
    for (const IntegratorEntry* entry : backward_euler_entries()) {
        SpringSystem spring;
        spring.k = 1e4;
        spring.held = true;
        spring.held_acceleration = 3;
        State state = start(0, 1);

        make(entry->key)->step(spring, state, 0.01);

        EXPECT_DOUBLE_EQ(state.v[0], 1.03);
        EXPECT_DOUBLE_EQ(state.x[0], 0.01 * 1.03);
    }
}

TEST(BackwardEuler, FailureLeavesTheStateAlone) {
    SpringSystem spring;
    spring.k = std::numeric_limits<double>::quiet_NaN();
    State state = start(1, 2);
    auto integrator = make("backward_euler");

    const StepReport report = integrator->step(spring, state, 0.1);

    EXPECT_FALSE(report.ok());
    EXPECT_FALSE(report.solve.message.empty());
    EXPECT_EQ(state.x[0], 1);
    EXPECT_EQ(state.t, 0);
}

}  // namespace
}  // namespace taffeta::ode

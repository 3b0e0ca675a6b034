#include <gtest/gtest.h>

#include <tuple>

#include "ode/linear_system.h"
#include "ode/problems.h"

/// SOFA's solvers against the errors of an independent implementation of its code, and what is wrong
/// in their printed description: the literal form and the right one, side by side.
namespace taffeta::ode {
namespace {

using namespace testing;

void expect_errors(const Textbook& problem, int steps, const char* key, const Numbers& options,
                   const std::vector<double>& errors, bool rayleigh = true) {
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const double found = textbook_error(problem, key, steps << i, options, rayleigh);
        EXPECT_NEAR(found, errors[i], 1e-9 * errors[i] + 2e-13) << key << " at level " << i;
    }
}

TEST(Sofa, HasTheErrorsOfItsCode) {
    expect_errors(problem_2, 50, "sofa_euler_implicit", {},
                  {3.638410369912e-04, 1.749986638187e-04, 8.575497539472e-05, 4.243983022890e-05});
    expect_errors(problem_2, 50, "sofa_euler_implicit", {},
                  {3.638410369912e-04, 1.749986638187e-04, 8.575497539472e-05, 4.243983022890e-05},
                  false);
    expect_errors(problem_2, 50, "sofa_variational_symplectic", {},
                  {2.606494222312e-04, 1.353484720191e-04, 6.907368999988e-05, 3.489804904610e-05});
    expect_errors(problem_2, 50, "sofa_central_difference", {},
                  {5.188219615207e-04, 2.581167635273e-04, 1.288939010235e-04, 6.442564168271e-05});
    expect_errors(problem_3, 200, "sofa_euler_implicit", {},
                  {2.187851484741e-04, 2.204950586468e-04, 2.101315685299e-04, 1.649682695446e-04});
    expect_errors(problem_3, 200, "sofa_variational_symplectic", {},
                  {4.836824505387e-04, 9.276505536141e-05, 1.765292951396e-05, 3.463336126984e-06});
    expect_errors(problem_3, 200, "sofa_central_difference", {},
                  {4.713581887929e-06, 1.919190892055e-06, 2.206088720383e-06, 1.410014774433e-06});
    expect_errors(problem_W, 100, "sofa_euler_implicit", {},
                  {1.168061035462e+00, 9.093525072865e-01, 5.868783419774e-01, 3.357270370808e-01});
    expect_errors(problem_W, 100, "sofa_variational_symplectic", {},
                  {1.981902545504e-01, 4.936698390119e-02, 1.232764473877e-02, 3.080985362740e-03});
    expect_errors(problem_W, 100, "sofa_central_difference", {},
                  {1.205194461547e-01, 3.583099591103e-02, 1.292043874603e-02, 5.555173981667e-03});
    expect_errors(problem_W, 100, "sofa_euler_explicit", {},
                  {1.205194461547e-01, 3.583099591103e-02, 1.292043874603e-02, 5.555173981667e-03},
                  false);
    expect_errors(problem_W, 100, "sofa_newmark", {},
                  {1.981902545504e-01, 4.936698390119e-02, 1.232764473876e-02, 3.080985362740e-03});
}

std::unique_ptr<Integrator> with_switch(const char* key, const char* name, bool on) {
    Settings settings = Settings::object();
    settings[name] = Settings::of(on);
    return find_entry(integrators(), "integrator", key).make(settings);
}

double error_with_switch(const Textbook& problem, const char* key, const char* name, bool on,
                         int steps) {
    const State end = run_linear(*with_switch(key, name, on), problem.system(), problem.start(),
                                 problem.end, steps);
    return distance(end, problem.exact(problem.end));
}

TEST(Sofa, TrapezoidalSchemeIsOfFirstOrderAndConditionallyStable) {
    const double errors_2[] = {4.049552556119e-04, 1.573269238295e-04, 6.832606166198e-05,
                               3.169723834671e-05};
    const double errors_W[] = {8.796977058493e-01, 5.751860687770e-01, 3.331265446150e-01,
                               1.798637485259e-01};
    for (int i = 0; i < 4; ++i) {
        EXPECT_NEAR(
            error_with_switch(problem_2, "sofa_euler_implicit", "trapezoidal", true, 50 << i),
            errors_2[i], 1e-9 * errors_2[i]);
        EXPECT_NEAR(
            error_with_switch(problem_W, "sofa_euler_implicit", "trapezoidal", true, 100 << i),
            errors_W[i], 1e-9 * errors_W[i]);
    }

    // Spectral radius 4 at h w = 10: det (1 - w^2/4)/(1 + w^2/4), limit 2.
    LinearSystem system(100, 0, 0);
    State state{0, scalar(1), scalar(0)};
    const auto integrator = with_switch("sofa_euler_implicit", "trapezoidal", true);
    double before = 0;
    for (int i = 0; i < 60; ++i) {
        before = state.x[0];
        ASSERT_TRUE(integrator->step(system, state, 1).ok());
    }
    EXPECT_NEAR(std::abs(state.x[0] / before), 4, 1e-3);
}

TEST(Sofa, EulerExplicitWithoutSymplecticIsExplicitEuler) {
    // Erratum 21: the document prints this form, the default is the other.
    EXPECT_NEAR(error_with_switch(problem_W, "sofa_euler_explicit", "symplectic", false, 100),
                1.055229945331e+01, 1e-8);
    EXPECT_NEAR(error_with_switch(problem_W, "sofa_euler_explicit", "symplectic", true, 100),
                1.205194461547e-01, 1e-10);
}

TEST(Sofa, VariationalExplicitIsSymplecticEuler) {
    EXPECT_NEAR(error_with_switch(problem_W, "sofa_variational_symplectic", "explicit_integration",
                                  true, 100),
                1.205194461547e-01, 1e-10);
}

TEST(Sofa, FirstOrderFollowsTheForce) {
    // M x' = f: x' = -3 x + 1 by backward Euler, v+ = (1 - 3 x)/(1 + 3 h).
    LinearSystem system(3, 0, 1);
    State state{0, scalar(2), scalar(7)};

    ASSERT_TRUE(
        with_switch("sofa_euler_implicit", "first_order", true)->step(system, state, 0.1).ok());

    EXPECT_NEAR(state.v[0], (1 - 6) / 1.3, 1e-15);
    EXPECT_NEAR(state.x[0], 2 - 0.5 / 1.3, 1e-15);
}

TEST(Sofa, VelocityDampingMultipliesByAnExponential) {
    for (const char* key : {"sofa_euler_implicit", "sofa_newmark"}) {
        LinearSystem system(0, 0, 0);
        State state{0, scalar(0), scalar(2)};

        ASSERT_TRUE(make_with(key, {{"velocity_damping", 3}})->step(system, state, 0.5).ok());

        EXPECT_NEAR(state.x[0], 1, 1e-15) << key;
        EXPECT_NEAR(state.v[0], 2 * std::exp(-1.5), 1e-15) << key;
    }
}

TEST(Sofa, RayleighStiffnessOfEulerImplicitIsItsMatrix) {
    // ((1 + h r_M) m + h d + h (h + r_K) k) dv = h (f - r_M m v - (h + r_K) k v)
    LinearSystem system(7, 2, 1.5);
    system.M[0] = 3;
    const double h = 0.2, r_M = 0.4, r_K = 0.3, x = 0.6, v = -1.1;
    State state{0, scalar(x), scalar(v)};

    ASSERT_TRUE(
        make_with("sofa_euler_implicit", {{"rayleigh_mass", r_M}, {"rayleigh_stiffness", r_K}})
            ->step(system, state, h)
            .ok());

    const double right = h * (1.5 - 7 * x - 2 * v - r_M * 3 * v - (h + r_K) * 7 * v);
    const double dv = right / ((1 + h * r_M) * 3 + h * 2 + h * (h + r_K) * 7);
    EXPECT_NEAR(state.v[0], v + dv, 1e-14);
    EXPECT_NEAR(state.x[0], x + h * (v + dv), 1e-14);
}

TEST(Sofa, NewmarkLosesAnOrderByItsFirstAcceleration) {
    // With Rayleigh mass damping, errors of the code and of a consistent start (our newmark).
    expect_errors(problem_3, 800, "sofa_newmark", {},
                  {4.137787706613e-06, 1.752083401094e-06, 7.891788848062e-07, 3.724834388916e-07});
    expect_errors(problem_3, 800, "newmark", {},
                  {1.340272505683e-06, 3.538569218711e-07, 8.962803006971e-08, 2.247957157144e-08});
}

TEST(Sofa, NewmarkDropsADampingTermForBetaOneHalf) {
    // Without Rayleigh damping and for beta = 1/2, h (1 - gamma) D a is left out.
    for (const double beta : {0.5, 0.25}) {
        LinearSystem system(7, 2, 0);
        const double h = 0.2, x = 0.6, v = -1.1, a = -7 * x - 2 * v;
        State state{0, scalar(x), scalar(v)};

        ASSERT_TRUE(make_with("sofa_newmark", {{"beta", beta}})->step(system, state, h).ok());

        double right = -7 * x - 2 * v - 7 * (h * v + h * h * (0.5 - beta) * a);
        if (beta != 0.5) right -= 2 * h * 0.5 * a;
        const double next = right / (1 + 0.5 * h * 2 + beta * h * h * 7);
        EXPECT_NEAR(state.v[0], v + h * 0.5 * (a + next), 1e-14) << beta;
    }
}

TEST(Sofa, CentralDifferenceIsOfOrderTwoIfItIsStartedHalfAStepBack) {
    // Erratum 25: a is that of x_k. Who hands over v - h/2 (a - r v) and reads the mean of two
    // velocities gets the reference's central difference.
    const auto staggered = [](int steps) {
        const double h = problem_W.end / steps;
        LinearSystem system = problem_W.system();
        State state = problem_W.start();
        state.v[0] += 0.5 * h * 5 * state.x[0];
        const auto integrator = make_with("sofa_central_difference");
        for (int i = 0; i < steps; ++i)
            EXPECT_TRUE(integrator->step(system, state, h).ok());
        state.v[0] -= 0.5 * h * 5 * state.x[0];
        return distance(state, problem_W.exact(10));
    };

    EXPECT_NEAR(staggered(100), 9.284285210562e-02, 1e-10);
    EXPECT_NEAR(staggered(800), 1.462506087824e-03, 1e-11);
}

TEST(SofaErrata, CentralDifferenceAsPrintedTakesTheForceOfTheNextPositionForItsStep) {
    // Erratum 25. Printed: v+ = v + h a+, x+ = x + h v+, a+ = f(x+)/m, which is implicit Euler; the code and
    // the right form take a = f(x)/m. Both forms on a spring, h = 1, w = 1/2: det 4/5 against 1.
    const double w2 = 0.25;
    Eigen::Matrix2d literal, right;
    literal << 1 - w2 / (1 + w2), 1 / (1 + w2), -w2 / (1 + w2), 1 / (1 + w2);
    for (int j = 0; j < 2; ++j) {
        // The literal matrix solves its equations, which no step can without a solve.
        const double x = j == 0, v = j == 1, next_x = literal(0, j), next_v = literal(1, j);
        EXPECT_NEAR(next_v, v - w2 * next_x, 1e-15);
        EXPECT_NEAR(next_x, x + next_v, 1e-15);
        LinearSystem system(w2, 0, 0);
        State state{0, scalar(x), scalar(v)};
        ASSERT_TRUE(make_with("sofa_central_difference")->step(system, state, 1).ok());
        right.col(j) << state.x[0], state.v[0];
    }
    EXPECT_NEAR(literal.determinant(), 0.8, 1e-15);
    EXPECT_NEAR(right.determinant(), 1, 1e-15);

    // Over ten seconds of problem W, h = 0.1, by the reference: implicit Euler's error against the code's.
    const double h = 0.1, k = 5;
    double x = 1, v = 0;
    for (int i = 0; i < 100; ++i) {
        v = (v - h * k * x) / (1 + h * h * k);
        x += h * v;
    }
    const State exact = problem_W.exact(10);
    EXPECT_NEAR(std::hypot(x - exact.x[0], v - exact.v[0]), 1.168061035462, 1e-11);
    EXPECT_NEAR(textbook_error(problem_W, "sofa_central_difference", 100), 1.205194461547e-01,
                1e-11);
}

TEST(SofaErrata, TheLastAccelerationOfRungeKuttaIsPrintedButNeverUsed) {
    // Erratum 26. Sections 5.1 and 5.2 end with a+ = f(x+, v+)/m: a force more a step, and the same states.
    const auto slope = [](const Vec2& y) { return Vec2(y[1], -1000 * y[0] - 10 * y[1] - 1010); };
    for (const auto& [key, stages, x, v] :
         {std::tuple{"explicit_midpoint", 2, -1.0099987377640418, -0.00020740754911973336},
          {"rk4", 4, -1.0099968942662207, -0.0002188042153883005}}) {
        int printed_forces = 0;
        const auto rate = [&](const Vec2& y) {
            ++printed_forces;
            return slope(y);
        };
        const double h = 2.0 / 400;
        Vec2 y(-1, -5), last;
        for (int i = 0; i < 400; ++i) {
            const Vec2 k1 = rate(y), k2 = rate(y + h / 2 * k1);
            if (stages == 2) {
                y += h * k2;
            } else {
                const Vec2 k3 = rate(y + h / 2 * k2), k4 = rate(y + h * k3);
                y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            }
            last = rate(y);  // printed
        }
        Problem problem = oscillator(1000, 10);
        problem.system.of = [&](double, const VecX& at, const VecX& speed) -> VecX {
            return scalar(slope(Vec2(at[0], speed[0]))[1]);
        };
        State state = problem_3.start();
        const auto integrator = make_with(key);
        for (int i = 0; i < 400; ++i)
            ASSERT_TRUE(integrator->step(problem.system, state, h).ok());

        EXPECT_EQ(printed_forces, 400 * (stages + 1));
        EXPECT_EQ(problem.system.evaluations, 400 * stages) << key;
        EXPECT_NEAR(state.x[0], y[0], 1e-12) << key;
        EXPECT_NEAR(state.v[0], y[1], 1e-12) << key;
        EXPECT_NEAR(state.x[0], x, 1e-12) << key;
        EXPECT_NEAR(state.v[0], v, 1e-12) << key;
        // The rate of the velocity that ours reports is that over the step, not at its end.
        EXPECT_GT(std::abs(integrator->acceleration()[0] - last[1]), 1e-5) << key;
    }
}

TEST(SofaErrata, PositionWithTheOldVelocityDoesNotDamp) {
    // Erratum 20, x+ = x + h v after the implicit velocity: det 1, errors of the reference; the
    // right form has det 1/(1 + w^2).
    const auto literal_error = [](const Textbook& p, int steps) {
        const double h = p.end / steps;
        double x = p.x, v = p.v;
        for (int i = 0; i < steps; ++i) {
            const double dv =
                h * (p.f - p.k * x - p.c * v - h * p.k * v) / (1 + h * p.c + h * h * p.k);
            x += h * v;
            v += dv;
        }
        const State exact = p.exact(p.end);
        return std::hypot(x - exact.x[0], v - exact.v[0]);
    };

    EXPECT_NEAR(literal_error(problem_2, 50), 5.245171725302e-04, 1e-12);
    EXPECT_NEAR(literal_error(problem_W, 100), 1.084089742822e+00, 1e-9);
    EXPECT_NEAR(literal_error(problem_3, 200), 7.613710398861e-04, 1e-12);
    const double w2 = 0.25;
    Eigen::Matrix2d literal, right;
    literal << 1, 1, -w2 / (1 + w2), 1 - w2 / (1 + w2);
    for (int j = 0; j < 2; ++j) {
        LinearSystem system(w2, 0, 0);
        State state{0, scalar(j == 0), scalar(j == 1)};
        ASSERT_TRUE(make_with("sofa_euler_implicit")->step(system, state, 1).ok());
        right.col(j) << state.x[0], state.v[0];
    }
    EXPECT_NEAR(literal.determinant(), 1, 1e-15);
    EXPECT_NEAR(right.determinant(), 0.8, 1e-14);
}

TEST(SofaErrata, PrintedVariationalExplicitDiverges) {
    // Erratum 22: v+ = 2 (f + p)/m without h, det 2 at w = 1/2; the right form has det 1.
    const double w2 = 0.25;
    Eigen::Matrix2d literal, right;
    literal << 1 - 2 * w2, 2, -2 * w2, 2;  // x+ = x + v+
    for (int j = 0; j < 2; ++j) {
        LinearSystem system(w2, 0, 0);
        State state{0, scalar(j == 0), scalar(j == 1)};
        ASSERT_TRUE(make_with("variational_symplectic_explicit")->step(system, state, 1).ok());
        right.col(j) << state.x[0], state.v[0];
    }

    EXPECT_NEAR(literal.determinant(), 2, 1e-15);
    EXPECT_NEAR(right.determinant(), 1, 1e-15);
}

TEST(SofaErrata, PrintedVariationalImplicitMomentumLacksTheStiffness) {
    // Erratum 23: p+ = (M + h^2/4) u + h/2 f against (M - h^2/4 K) u + h/2 f(x), on m x'' = -k x.
    const double m = 2, k = 3, h = 0.3, x = 0.7, v = -0.4;
    LinearSystem system(k, 0, 0);
    system.M[0] = m;
    State state{0, scalar(x), scalar(v)};

    ASSERT_TRUE(make_with("variational_symplectic_implicit")->step(system, state, h).ok());

    const double u = (state.x[0] - x) / h;
    EXPECT_NEAR(m * state.v[0], (m - h * h / 4 * k) * u - h / 2 * k * x, 1e-14);
    EXPECT_GT(std::abs(m * state.v[0] - ((m + h * h / 4) * u - h / 2 * k * x)), 0.01);
}

}  // namespace
}  // namespace taffeta::ode

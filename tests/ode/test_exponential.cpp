#include <gtest/gtest.h>

#include "ode/linear_system.h"
#include "ode/problems.h"
#include "ode/spring_sheet.h"
#include "taffeta/ode/matrix_exponential.h"

/// The exponential method: exact on linear systems, small and large, and of order two on others.
namespace taffeta::ode {
namespace {

using namespace testing;

TEST(MatrixExponential, OfARotationAndOfANilpotentMatrix) {
    MatrixExponential exponential;
    for (const double angle : {1e-8, 0.3, 3.0, 40.0, 1e4}) {
        Eigen::Matrix2d turn;
        turn << 0, -angle, angle, 0;

        const Eigen::MatrixXd E = exponential.of(turn);

        EXPECT_NEAR(E(0, 0), std::cos(angle), 2e-15 * (1 + angle)) << angle;
        EXPECT_NEAR(E(1, 0), std::sin(angle), 2e-15 * (1 + angle)) << angle;
    }
    Eigen::Matrix3d N;
    N << 0, 2, 5, 0, 0, 3, 0, 0, 0;
    const Eigen::MatrixXd E = exponential.of(N);
    EXPECT_LE((E - (Eigen::Matrix3d::Identity() + N + N * N / 2)).norm(), 1e-14);
}

TEST(Exponential, IsExactOnTheTextbookProblemsWhateverTheStep) {
    for (const Textbook& problem : {problem_2, problem_3, problem_W})
        for (const int steps : {1, 7, 100, 800})
            EXPECT_LE(textbook_error(problem, "exponential", steps), 1e-13)
                << problem.k << ", " << steps;
}

TEST(Exponential, IsExactForAForceThatGrowsWithTime) {
    // x'' = -4 x + 8 t, x(0) = x'(0) = 0: x = 2 t - sin 2t
    struct Growing final : SecondOrderSystem {
        LinearSystem inner{4, 0, 0};
        Eigen::Index size() const override { return 1; }
        void force(double t, const VecX& x, const VecX& v, VecX& f) override {
            inner.force(t, x, v, f);
            f[0] += 8 * t;
        }
        SolveReport solve_mass(const VecX& f, VecX& a) override { return inner.solve_mass(f, a); }
        void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
            if (f) force(t, x, v, *f);
        }
        void apply(const Coefficients& c, const VecX& u, VecX& out) override {
            inner.apply(c, u, out);
        }
        SolveReport solve(const Coefficients& c, const VecX& r, double tolerance,
                          VecX& u) override {
            return inner.solve(c, r, tolerance, u);
        }
    } system;
    State state{0, scalar(0), scalar(0)};
    const auto integrator = make_with("exponential");

    for (int i = 0; i < 5; ++i)
        ASSERT_TRUE(integrator->step(system, state, 0.7).ok());

    EXPECT_NEAR(state.x[0], 7 - std::sin(7.0), 1e-13);
    EXPECT_NEAR(state.v[0], 2 - 2 * std::cos(7.0), 1e-13);
}

/// A chain of `count` unit masses on unit springs between walls, moving in its own mode `k`: at the
/// frequency 2 sin(pi k/(2 count + 2)).
TEST(Exponential, IsExactOnALargeChainByKrylovSpaces) {
    const Eigen::Index count = 120;  // 242 rows
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(count, count);
    const double stiffness = 400;
    for (Eigen::Index i = 0; i < count; ++i) {
        K(i, i) = 2 * stiffness;
        if (i > 0) K(i, i - 1) = K(i - 1, i) = -stiffness;
    }
    const double angle = std::acos(-1.0) / double(count + 1);
    VecX x = VecX::Zero(count), expected = x, speed = x;
    const double t = 1.5;
    for (const int k : {1, 7, 60, 119}) {
        const double w = 2 * std::sqrt(stiffness) * std::sin(0.5 * angle * k);
        for (Eigen::Index i = 0; i < count; ++i) {
            const double mode = std::sin(angle * k * double(i + 1));
            x[i] += mode;
            expected[i] += mode * std::cos(w * t);
            speed[i] -= mode * w * std::sin(w * t);
        }
    }
    const LinearSystem system(VecX::Ones(count), K, K * 0, VecX::Zero(count));
    const double size = std::sqrt(stiffness) * x.norm();
    for (const int steps : {1, 10}) {
        const State end =
            run_linear(*make_with("exponential"), system, {0, x, VecX::Zero(count)}, t, steps);

        EXPECT_LE((end.x - expected).norm(), 1e-11 * size / std::sqrt(stiffness)) << steps;
        EXPECT_LE((end.v - speed).norm(), 1e-11 * size) << steps;
    }
}

TEST(Exponential, HasOrderTwoOnALargeNonlinearSheet) {
    // The hanging sheet, 488 rows: against many steps of the classical Runge-Kutta method.
    const auto run_sheet = [](const char* key, int steps) {
        SpringSheet sheet;
        State state = SpringSheet::fallen(20);
        const auto integrator = find_entry(integrators(), "integrator", key).make(Settings());
        for (int i = 0; i < steps; ++i)
            if (const StepReport report = integrator->step(sheet, state, 0.05 / steps);
                !report.ok())
                throw std::runtime_error(report.solve.message);
        return state;
    };
    const State exact = run_sheet("rk4", 400);

    const double coarse = distance(run_sheet("exponential", 40), exact);
    const double fine = distance(run_sheet("exponential", 80), exact);

    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15);
}

}  // namespace
}  // namespace taffeta::ode

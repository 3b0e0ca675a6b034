#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "solve/solve_helpers.h"
#include "taffeta/base/parallel.h"

namespace taffeta::solve {
namespace {

using testing::dense;
using testing::kkt_solution;
using testing::make_solver;
using testing::Random;

/// A grid with stiffness over four decades, one vertex in five constrained.
struct Problem {
    sparse::Matrix3 A = testing::grid_matrix(8, 7, 100, 4, 1);
    sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    VecX b = Random(3).field(A.rows());
    VecX z;

    Problem() { filter.targets(z); }
    VecX zero() const { return VecX::Zero(b.size()); }
};

TEST(PrefilteredPcg, SolvesUnderConstraints) {
    const Problem problem;
    const VecX expected = kkt_solution(problem.A, problem.filter, problem.b);
    for (const char* preconditioner : {"block_jacobi", "jacobi", "identity"}) {
        VecX x = problem.zero();

        const SolveReport report =
            make_solver("prefiltered_pcg", {{"tolerance", 1e-12}}, preconditioner)
                ->solve(problem.A, problem.filter, problem.b, x);

        EXPECT_TRUE(report.ok()) << report.message;
        EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm()) << preconditioner;
        VecX forbidden = x - problem.z;
        problem.filter.project_complement(forbidden);
        EXPECT_LE(forbidden.norm(), 1e-14);
    }
}

/// Made for A without its constraints a preconditioner still leads to the solution, only slower.
TEST(PrefilteredPcg, SolvesWithAPreconditionerThatIgnoresConstraints) {
    const Problem problem;
    const VecX expected = kkt_solution(problem.A, problem.filter, problem.b);
    for (const char* preconditioner : {"block_jacobi", "sa", "ic0"}) {
        VecX x = problem.zero(), filtered = problem.zero();
        const auto make = [&](bool prefilter) {
            Settings settings = Settings::object();
            settings["type"] = Settings::of(std::string("prefiltered_pcg"));
            settings["preconditioner"] = Settings::of(std::string(preconditioner));
            settings["tolerance"] = Settings::of(3e-13);
            settings["prefilter"] = Settings::of(prefilter);
            return make_linear_solver(settings);
        };

        const SolveReport report = make(false)->solve(problem.A, problem.filter, problem.b, x);
        const SolveReport with = make(true)->solve(problem.A, problem.filter, problem.b, filtered);

        ASSERT_TRUE(report.ok()) << preconditioner << ": " << report.message;
        EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm()) << preconditioner;
        EXPECT_LE((filtered - expected).norm(), 1e-9 * expected.norm()) << preconditioner;
        EXPECT_LE(with.iterations, report.iterations) << preconditioner;
    }
}

TEST(PrefilteredPcg, WalksThroughTheSameIteratesAsPcgOnTheExplicitMatrix) {
    // B = S A S + sigma (I - S) formed as a matrix, b replaced by S (b - A z): the same method
    // without constraints. The on-the-fly product must agree iterate by iterate.
    const Problem problem;
    sparse::Matrix3 B = problem.A;
    sparse::prefilter(B, problem.filter);
    VecX right_side = problem.b - dense(problem.A) * problem.z;
    problem.filter.project(right_side);
    const sparse::NodeFilter free(problem.A.rows());

    for (const double iterations : {1.0, 2.0, 5.0, 12.0}) {
        VecX x = problem.zero(), y = problem.zero();
        const SolveReport filtered =
            make_solver("prefiltered_pcg", {{"max_iterations", iterations}, {"tolerance", 1e-12}})
                ->solve(problem.A, problem.filter, problem.b, x);
        const SolveReport explicit_matrix =
            make_solver("pcg", {{"max_iterations", iterations}, {"tolerance", 1e-12}})
                ->solve(B, free, right_side, y);

        EXPECT_LE((x - problem.z - y).norm(), 1e-9 * y.norm());
        EXPECT_NEAR(filtered.residual, explicit_matrix.residual, 1e-9);
        EXPECT_EQ(filtered.iterations, int(iterations));
    }
}

TEST(PrefilteredPcg, StopsByTheNormOfThePreconditioner) {
    // The rule by its definition: sqrt(r'M^-1 r) relative to the zero guess.
    const Problem problem;
    VecX x = problem.zero();

    const SolveReport report = make_solver("prefiltered_pcg", {{"tolerance", 1e-4}})
                                   ->solve(problem.A, problem.filter, problem.b, x);

    const Eigen::MatrixXd S = dense(problem.filter), A = dense(problem.A);
    sparse::Matrix3 B = problem.A;
    sparse::prefilter(B, problem.filter);
    const Eigen::MatrixXd B_dense = dense(B);
    const auto norm = [&](const VecX& r) {
        double sum = 0;
        for (Index i = 0; i < problem.A.rows(); ++i)
            sum += vec3(r, i).dot(B_dense.block<3, 3>(3 * i, 3 * i).ldlt().solve(vec3(r, i)));
        return std::sqrt(sum);
    };
    const double expected = norm(S * (problem.b - A * x)) / norm(S * (problem.b - A * problem.z));
    EXPECT_TRUE(report.ok());
    EXPECT_NEAR(report.residual, expected, 1e-9);
    EXPECT_LT(report.residual, 1e-4);
    EXPECT_GT(report.residual, 1e-6);  // and not far below: it stopped in time
}

TEST(PrefilteredPcg, StopsByTheEuclideanNormWhenAsked) {
    const Problem problem;
    Settings settings = testing::solver_settings("prefiltered_pcg", {{"tolerance", 1e-4}});
    settings["norm"] = Settings::of(std::string("euclidean"));
    VecX x = problem.zero();

    const SolveReport report =
        make_linear_solver(settings)->solve(problem.A, problem.filter, problem.b, x);

    const Eigen::MatrixXd S = dense(problem.filter), A = dense(problem.A);
    EXPECT_NEAR(report.residual,
                (S * (problem.b - A * x)).norm() / (S * (problem.b - A * problem.z)).norm(), 1e-9);
    EXPECT_LT(report.residual, 1e-4);
}

TEST(PrefilteredPcg, AGoodGuessIsRewarded) {
    const Problem problem;
    const auto solver = make_solver("prefiltered_pcg", {{"tolerance", 1e-6}});
    VecX cold = problem.zero();
    const SolveReport first = solver->solve(problem.A, problem.filter, problem.b, cold);

    // The guess may be anything in the forbidden directions: its free part is used.
    VecX good = cold + 1e-3 * Random(9).field(problem.A.rows());
    VecX exact = kkt_solution(problem.A, problem.filter, problem.b);
    const SolveReport warm = solver->solve(problem.A, problem.filter, problem.b, good);
    const SolveReport none = solver->solve(problem.A, problem.filter, problem.b, exact);

    EXPECT_LT(warm.iterations, first.iterations);
    EXPECT_GT(warm.iterations, 0);
    EXPECT_EQ(none.iterations, 0);
    EXPECT_TRUE(none.ok());
}

TEST(PrefilteredPcg, TheErrorFallsInTheEnergyNormInEveryIteration) {
    // What "best iterate" rests on; the residual need not fall.
    const Problem problem;
    const VecX exact = kkt_solution(problem.A, problem.filter, problem.b);
    const Eigen::MatrixXd A = dense(problem.A);
    double last = (problem.z - exact).dot(A * (problem.z - exact));

    for (double iterations = 1; iterations <= 30; ++iterations) {
        VecX x = problem.zero();
        make_solver("prefiltered_pcg", {{"max_iterations", iterations}, {"tolerance", 1e-14}})
            ->solve(problem.A, problem.filter, problem.b, x);
        const double error = (x - exact).dot(A * (x - exact));

        EXPECT_LT(error, last) << "iteration " << iterations;
        last = error;
    }
}

TEST(PrefilteredPcg, TrueResidualsDoNotBreakConjugacy) {
    // With a fresh residual in every iteration the method needs as many iterations as without.
    const Problem problem;
    VecX often = problem.zero(), seldom = problem.zero();

    const SolveReport every =
        make_solver("prefiltered_pcg", {{"residual_interval", 1}, {"tolerance", 1e-8}})
            ->solve(problem.A, problem.filter, problem.b, often);
    const SolveReport never =
        make_solver("prefiltered_pcg", {{"residual_interval", 100000}, {"tolerance", 1e-8}})
            ->solve(problem.A, problem.filter, problem.b, seldom);

    EXPECT_TRUE(every.ok() && never.ok());
    // Lost conjugacy would cost a multiple; rounding costs a few.
    EXPECT_NEAR(every.iterations, never.iterations, 0.1 * never.iterations);
    EXPECT_LE((often - seldom).norm(), 1e-6 * seldom.norm());
}

TEST(PrefilteredPcg, NeverClaimsWhatRoundingForbids) {
    // kappa ~ 1e8: a residual of 1e-17 is out of reach, and must not be claimed.
    sparse::Matrix3 A = testing::grid_matrix(8, 8, 1e6, 4, 5);
    const sparse::NodeFilter free(A.rows());
    const VecX b = Random(6).field(A.rows());
    VecX x = VecX::Zero(b.size());

    const SolveReport report =
        make_solver("prefiltered_pcg", {{"tolerance", 1e-20}})->solve(A, free, b, x);

    EXPECT_FALSE(report.ok());
    EXPECT_NE(report.message.find("residual"), std::string::npos) << report.message;
    EXPECT_LT(report.residual, 1e-8);
    EXPECT_LE((x - kkt_solution(A, free, b)).norm(), 1e-6 * x.norm());
}

TEST(PrefilteredPcg, ToleranceCanBeOverriddenAndGivenBack) {
    const Problem problem;
    const auto solver = make_solver("prefiltered_pcg", {{"tolerance", 1e-8}}, "block_jacobi");
    const auto iterations = [&] {
        VecX x = problem.zero();
        return solver->solve(problem.A, problem.filter, problem.b, x).iterations;
    };
    const int tight = iterations();

    solver->set_tolerance(1e-2);
    const int loose = iterations();
    solver->set_tolerance(0);

    EXPECT_LT(loose, tight);
    EXPECT_EQ(iterations(), tight);
}

TEST(PrefilteredPcg, ProgressIsToldAndMayStop) {
    const Problem problem;
    const auto solver = make_solver("prefiltered_pcg", {{"tolerance", 1e-10}});
    std::vector<int> numbers;
    double last = 0;
    solver->set_progress([&](int iteration, double residual) {
        numbers.push_back(iteration);
        last = residual;
        return iteration < 4;
    });
    VecX x = problem.zero();

    const SolveReport report = solver->solve(problem.A, problem.filter, problem.b, x);

    EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4}));
    EXPECT_EQ(report.status, SolveStatus::max_iterations);
    EXPECT_EQ(report.iterations, 4);
    EXPECT_EQ(report.residual, last);
    EXPECT_NE(report.message.find("stopped by the caller"), std::string::npos);
}

TEST(MakeLinearSolver, ReadsSettingsAndRefusesUnknownOnes) {
    Settings typo = testing::solver_settings("prefiltered_pcg");
    typo["tolerence"] = Settings::of(1e-3);

    EXPECT_NE(make_linear_solver(Settings()), nullptr);
    EXPECT_NE(make_linear_solver(Settings::of(std::string("ldlt"))), nullptr);
    EXPECT_THROW(make_linear_solver(typo), Error);
    EXPECT_THROW(make_linear_solver(Settings::of(std::string("prefiltered_pgc"))), Error);
    EXPECT_THROW(make_solver("prefiltered_pcg", {{"tolerance", -1}}), Error);
    EXPECT_THROW(make_solver("prefiltered_pcg", {}, "block_jacoby"), Error);
}

}  // namespace
}  // namespace taffeta::solve

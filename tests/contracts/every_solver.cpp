#include <gtest/gtest.h>

#include "solve/solve_helpers.h"
#include "taffeta/base/parallel.h"

/// What holds for every registered linear solver: it satisfies the constraints and the equations,
/// agrees with the direct solver, and has the same bits for any number of threads.
namespace taffeta::solve {
namespace {

using testing::Random;

class EverySolverContract : public ::testing::TestWithParam<const SolverEntry*> {
  protected:
    void SetUp() override {
        const Unavailable lack = unavailable(*GetParam());
        if (lack) GTEST_SKIP() << lack.why;
    }

    std::unique_ptr<LinearSolver> make(double tolerance) const {
        auto solver = GetParam()->make(Settings::object());
        solver->set_tolerance(tolerance);
        return solver;
    }
    sparse::NodeFilter filter_for(Index vertices) const {
        return GetParam()->properties.constrained ? testing::mixed_filter(vertices, 2)
                                                  : sparse::NodeFilter(vertices);
    }

    sparse::Matrix3 A_ = testing::grid_matrix(31, 29, 100, 4, 1);
    VecX b_ = Random(3).field(A_.rows());
};

TEST_P(EverySolverContract, SatisfiesConstraintsAndEquations) {
    const sparse::NodeFilter filter = filter_for(A_.rows());
    VecX x = VecX::Zero(b_.size()), z, image;
    filter.targets(z);

    const SolveReport report = make(1e-11)->solve(A_, filter, b_, x);

    ASSERT_TRUE(report.ok()) << report.message;
    VecX forbidden = x - z;
    filter.project_complement(forbidden);
    EXPECT_LE(forbidden.norm(), 1e-12);
    sparse::multiply(A_, x, image);
    VecX residual = b_ - image;
    filter.project(residual);
    EXPECT_LE(residual.norm(), 1e-7 * b_.norm());
}

TEST_P(EverySolverContract, AgreesWithTheDirectSolver) {
    const sparse::NodeFilter filter = filter_for(A_.rows());
    VecX x = VecX::Zero(b_.size()), expected = x;

    ASSERT_TRUE(make(1e-12)->solve(A_, filter, b_, x).ok());
    ASSERT_TRUE(testing::make_solver("ldlt")->solve(A_, filter, b_, expected).ok());

    EXPECT_LE((x - expected).norm(), 1e-8 * expected.norm());
}

TEST_P(EverySolverContract, HasTheSameBitsForAnyNumberOfThreads) {
    const sparse::NodeFilter filter = filter_for(A_.rows());
    set_thread_count(1);
    VecX serial = VecX::Zero(b_.size());
    const SolveReport report = make(1e-6)->solve(A_, filter, b_, serial);

    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);
        VecX x = VecX::Zero(b_.size());

        EXPECT_EQ(make(1e-6)->solve(A_, filter, b_, x).iterations, report.iterations);
        EXPECT_EQ(x, serial) << threads << " threads";
    }
    set_thread_count(0);
}

TEST_P(EverySolverContract, GivesTheSameBitsAgainAfterAReset) {
    const sparse::NodeFilter filter = filter_for(A_.rows());
    const sparse::Matrix3 other = testing::grid_matrix(5, 5, 10, 1, 2);
    const auto solver = make(1e-6);
    VecX first = VecX::Zero(b_.size()), second = first, small = VecX::Zero(75);

    solver->solve(A_, filter, b_, first);
    solver->solve(other, sparse::NodeFilter(25), VecX::Ones(75), small);
    solver->reset();
    solver->solve(A_, filter, b_, second);

    EXPECT_EQ(first, second);
}

TEST_P(EverySolverContract, RefusesUnknownOptions) {
    Settings settings = Settings::object();
    settings["no_such_option"] = Settings::of(1.0);

    EXPECT_THROW(GetParam()->make(settings), Error);
    EXPECT_FALSE(GetParam()->doc.empty());
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySolverContract,
                         ::testing::ValuesIn(linear_solvers().begin(), linear_solvers().end()),
                         [](const auto& tested) { return std::string(tested.param->key); });

}  // namespace
}  // namespace taffeta::solve

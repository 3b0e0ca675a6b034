#include <gtest/gtest.h>

#include "solve/solve_helpers.h"

namespace taffeta::solve {
namespace {

using testing::dense;
using testing::kkt_solution;
using testing::make_solver;
using testing::Random;

struct Iterates {
    std::vector<VecX> x;
    int iterations = 0;
};

/// The pseudo-code of [BW98] section 5.2, line by line, dense; M^-1 = diag(1/A_ii).
Iterates published(const Eigen::MatrixXd& A, const Eigen::MatrixXd& S, const VecX& z, const VecX& b,
                   double tolerance) {
    const auto inverse = A.diagonal().cwiseInverse().asDiagonal();
    Iterates result;
    VecX dv = z;
    const VecX fb = S * b;
    const double delta_0 = fb.dot(inverse * fb);
    VecX r = S * (b - A * dv);
    VecX c = S * (inverse * r);
    double delta_new = r.dot(c);
    result.x.push_back(dv);
    while (delta_new > tolerance * tolerance * delta_0) {
        const VecX q = S * (A * c);
        const double alpha = delta_new / c.dot(q);
        dv += alpha * c;
        r -= alpha * q;
        const VecX s = inverse * r;
        const double delta_old = delta_new;
        delta_new = r.dot(s);
        c = S * (s + delta_new / delta_old * c);
        ++result.iterations;
        result.x.push_back(dv);
    }
    return result;
}

TEST(FilteredCg, FollowsThePublishedMethod) {
    const sparse::Matrix3 A = testing::grid_matrix(7, 6, 100, 3, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const VecX b = Random(3).field(A.rows());
    VecX z;
    filter.targets(z);
    const Iterates expected = published(dense(A), dense(filter), z, b, 1e-7);
    ASSERT_GT(expected.iterations, 10);

    VecX x = VecX::Zero(b.size());
    const SolveReport report =
        make_solver("filtered_cg", {{"tolerance", 1e-7}})->solve(A, filter, b, x);
    EXPECT_TRUE(report.ok());
    // Sums in another order: the stop may come an iteration earlier or later.
    EXPECT_NEAR(report.iterations, expected.iterations, 2);
    EXPECT_LE((x - expected.x.back()).norm(), 1e-8 * x.norm());

    for (const int iterations : {1, 3, 9}) {
        VecX early = VecX::Zero(b.size());
        make_solver("filtered_cg", {{"tolerance", 1e-7}, {"max_iterations", double(iterations)}})
            ->solve(A, filter, b, early);
        const VecX& wanted = expected.x[std::size_t(iterations)];
        EXPECT_LE((early - wanted).norm(), 1e-10 * wanted.norm()) << iterations;
    }
}

TEST(FilteredCg, SolvesUnderConstraints) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 6, 100, 2, 4);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 5);
    const VecX b = Random(6).field(A.rows());
    const VecX expected = kkt_solution(A, filter, b);
    for (const char* preconditioner : {"block_jacobi", "jacobi", "identity"}) {
        VecX x = VecX::Zero(b.size());

        const SolveReport report =
            make_solver("filtered_cg", {{"tolerance", 1e-12}}, preconditioner)
                ->solve(A, filter, b, x);

        EXPECT_TRUE(report.ok()) << report.message;
        EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm()) << preconditioner;
    }
}

TEST(FilteredCg, IgnoresTheGuessUnlessAsked) {
    const sparse::Matrix3 A = testing::grid_matrix(5, 5, 100, 2, 4);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 5);
    const VecX b = Random(6).field(A.rows());
    const VecX exact = kkt_solution(A, filter, b);
    Settings warm_settings = testing::solver_settings("filtered_cg");
    warm_settings["warm_start"] = Settings::of(true);
    VecX cold = exact, warm = exact;

    const SolveReport without = make_solver("filtered_cg")->solve(A, filter, b, cold);
    const SolveReport with = make_linear_solver(warm_settings)->solve(A, filter, b, warm);

    EXPECT_GT(without.iterations, 5);
    EXPECT_EQ(with.iterations, 0);
}

TEST(FilteredCg, EndsWhenOnlyTheTargetsDrive) {
    // filter(b) = 0: the published delta_0 is zero, and its loop would never end.
    const sparse::Matrix3 A = testing::grid_matrix(5, 5, 10, 1, 7);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 8);
    const VecX b = VecX::Zero(3 * A.rows());
    VecX x = b;

    const SolveReport report =
        make_solver("filtered_cg", {{"tolerance", 1e-10}})->solve(A, filter, b, x);

    EXPECT_TRUE(report.ok());
    EXPECT_LT(report.iterations, 200);
    EXPECT_LE((x - kkt_solution(A, filter, b)).norm(), 1e-8);
}

/// A tolerance that rounding forbids: whatever it reports, x is the best that there is. The printed
/// loop never filters r again, and then x grows beyond all bounds.
TEST(FilteredCg, KeepsItsBestIterateWhereRoundingIsTheLimit) {
    const sparse::Matrix3 A = testing::grid_matrix(8, 7, 100, 4, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const VecX b = Random(3).field(A.rows());
    const VecX exact = testing::kkt_solution(A, filter, b);
    for (const char* preconditioner : {"jacobi", "identity", "block_jacobi"}) {
        VecX x = VecX::Zero(b.size());

        make_solver("filtered_cg", {{"tolerance", 1e-15}}, preconditioner)->solve(A, filter, b, x);

        EXPECT_LE((x - exact).norm(), 1e-10 * exact.norm()) << preconditioner;
    }
}

}  // namespace
}  // namespace taffeta::solve

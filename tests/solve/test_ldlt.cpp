#include <gtest/gtest.h>

#include "solve/solve_helpers.h"

namespace taffeta::solve {
namespace {

using testing::kkt_solution;
using testing::make_solver;
using testing::Random;

TEST(Ldlt, SolvesUnderConstraints) {
    const sparse::Matrix3 A = testing::grid_matrix(8, 7, 1e4, 6, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const VecX b = Random(3).field(A.rows());
    VecX x = Random(4).field(A.rows());  // the guess is of no use to it

    const SolveReport report = make_solver("ldlt")->solve(A, filter, b, x);

    const VecX expected = kkt_solution(A, filter, b);
    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.iterations, 0);
    EXPECT_LT(report.residual, 1e-12);
    EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm());
}

TEST(Ldlt, ReusedForNewNumbersConstraintsAndPatterns) {
    const auto solver = make_solver("ldlt");
    const sparse::Matrix3 first = testing::grid_matrix(6, 6, 10, 2, 1);
    sparse::Matrix3 second = first;  // the same pattern object, other numbers
    for (Index s = 0; s < second.pattern().blocks(); ++s)
        second.block(s) *= 3;
    const sparse::Matrix3 third = testing::grid_matrix(4, 9, 10, 2, 1);  // as many rows

    const sparse::Matrix3* const systems[] = {&first, &second, &third, &first};
    for (const sparse::Matrix3* A : systems)
        for (const std::uint64_t seed : {1u, 2u}) {
            const sparse::NodeFilter filter = testing::mixed_filter(A->rows(), seed);
            const VecX b = Random(seed).field(A->rows());
            VecX x = VecX::Zero(b.size());

            ASSERT_TRUE(solver->solve(*A, filter, b, x).ok());

            EXPECT_LE((x - kkt_solution(*A, filter, b)).norm(), 1e-10 * x.norm());
        }
}

TEST(Ldlt, NamesTheVertexOfABadPivot) {
    sparse::Matrix3 indefinite = testing::grid_matrix(4, 4, 1, 0, 1);
    indefinite.block(indefinite.pattern().diagonal[9])(1, 1) -= 1000;
    sparse::Matrix3 singular = testing::grid_matrix(4, 4, 1, 0, 1);
    singular.set_zero();
    const VecX b = VecX::Ones(48);
    VecX x = VecX::Zero(48);

    const SolveReport negative =
        make_solver("ldlt")->solve(indefinite, sparse::NodeFilter(16), b, x);
    const SolveReport zero = make_solver("ldlt")->solve(singular, sparse::NodeFilter(16), b, x);

    EXPECT_EQ(negative.status, SolveStatus::indefinite) << negative.message;
    EXPECT_NE(negative.message.find("vertex 9, y"), std::string::npos) << negative.message;
    EXPECT_EQ(zero.status, SolveStatus::singular) << zero.message;
    EXPECT_EQ(x, VecX::Zero(48));
}

TEST(Ldlt, SeesThatTheMatrixIsNotSymmetric) {
    sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    A.block(A.pattern().slot(5, 6))(0, 1) += 3;
    const VecX b = VecX::Ones(48);
    VecX x = VecX::Zero(48);

    const SolveReport report = make_solver("ldlt")->solve(A, sparse::NodeFilter(16), b, x);

    EXPECT_EQ(report.status, SolveStatus::indefinite);
    EXPECT_NE(report.message.find("not symmetric"), std::string::npos) << report.message;
}

}  // namespace
}  // namespace taffeta::solve

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <limits>

#include "solve/solve_helpers.h"

namespace taffeta::solve {
namespace {

using testing::dense;
using testing::Random;

std::unique_ptr<Preconditioner> make(const std::string& key) {
    return make_entry(preconditioners(), "preconditioner", Settings::of(key), "block_jacobi");
}

Eigen::MatrixXd dense_prefiltered(sparse::Matrix3 A, const sparse::NodeFilter& filter) {
    sparse::prefilter(A, filter);
    return dense(A);
}

TEST(BlockJacobi, InvertsTheDiagonalBlocksOfThePrefilteredMatrix) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 100, 4, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const Eigen::MatrixXd B = dense_prefiltered(A, filter);
    const auto preconditioner = make("block_jacobi");
    const VecX r = Random(3).field(A.rows());
    VecX z;

    ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
    preconditioner->apply(r, z);

    for (Index i = 0; i < A.rows(); ++i) {
        const Vec3 expected = B.block<3, 3>(3 * i, 3 * i).ldlt().solve(vec3(r, i));
        EXPECT_LE((vec3(z, i) - expected).norm(), 1e-10 * expected.norm()) << "vertex " << i;
    }
}

TEST(Jacobi, InvertsTheScalarDiagonalInsideRangeS) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 100, 4, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const Eigen::MatrixXd B = dense_prefiltered(A, filter), S = dense(filter);
    const auto preconditioner = make("jacobi");
    VecX r = Random(3).field(A.rows()), z;
    filter.project(r);

    ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
    preconditioner->apply(r, z);

    const VecX expected = S * B.diagonal().cwiseInverse().asDiagonal() * S * r;
    EXPECT_LE((z - expected).norm(), 1e-13 * expected.norm());
}

TEST(DiagonalPreconditioners, WorkOnAFullyConstrainedVertexWithoutMass) {
    sparse::Matrix3 A = testing::grid_matrix(2, 1, 1, 0, 1);
    A.block(A.pattern().diagonal[0]).setZero();
    sparse::NodeFilter filter(2);
    filter.fix(0);

    for (const char* key : {"jacobi", "block_jacobi"})
        EXPECT_TRUE(make(key)->setup(A, filter, {}).ok()) << key;
}

TEST(DiagonalPreconditioners, NameTheVertexThatIsNotPositive) {
    const sparse::Matrix3 good = testing::grid_matrix(4, 4, 1, 0, 1);
    sparse::Matrix3 zero = good, negative = good, not_a_number = good, rank_two = good;
    zero.block(good.pattern().diagonal[7]).setZero();
    negative.block(good.pattern().diagonal[7]) = Vec3(1, -2, 1).asDiagonal();
    not_a_number.block(good.pattern().diagonal[7])(1, 1) = std::numeric_limits<double>::quiet_NaN();
    rank_two.block(good.pattern().diagonal[7]) = Mat3::Identity() - Mat3::Constant(1.0 / 3);
    const sparse::NodeFilter free(16);

    for (const char* key : {"jacobi", "block_jacobi"}) {
        const auto preconditioner = make(key);
        const SolveReport for_zero = preconditioner->setup(zero, free, {});
        const SolveReport for_negative = preconditioner->setup(negative, free, {});
        const SolveReport for_nan = preconditioner->setup(not_a_number, free, {});

        EXPECT_EQ(for_zero.status, SolveStatus::singular);
        EXPECT_EQ(for_negative.status, SolveStatus::indefinite);
        EXPECT_EQ(for_nan.status, SolveStatus::not_finite);
        for (const SolveReport& report : {for_zero, for_negative, for_nan})
            EXPECT_NE(report.message.find("vertex 7"), std::string::npos) << report.message;
        EXPECT_NE(for_negative.message.find("-2"), std::string::npos);
        EXPECT_TRUE(preconditioner->setup(good, free, {}).ok());
    }
    EXPECT_EQ(make("block_jacobi")->setup(rank_two, free, {}).status, SolveStatus::singular);
}

TEST(BlockJacobi, AcceptsBlocksOfGradedStiffness) {
    // A sliver's vertex: 1e12 times stiffer along one direction, still SPD.
    sparse::Matrix3 A = testing::grid_matrix(1, 1, 1, 0, 1);
    const Vec3 d = Vec3(1, 2, 3).normalized();
    const Mat3 outer = d * d.transpose();
    A.block(0) += 1e10 * outer;
    const auto preconditioner = make("block_jacobi");
    VecX r = VecX::Ones(3), z;

    ASSERT_TRUE(preconditioner->setup(A, sparse::NodeFilter(1), {}).ok());
    preconditioner->apply(r, z);

    EXPECT_LE((A.block(0) * z - r).norm(), 1e-4);
}

}  // namespace
}  // namespace taffeta::solve

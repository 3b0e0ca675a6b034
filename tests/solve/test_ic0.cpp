#include <gtest/gtest.h>

#include "solve/classic_helpers.h"

namespace taffeta::solve {
namespace {

using testing::dense_inverse;
using testing::dense_prefiltered;
using testing::elimination_order;
using testing::make_preconditioner;
using testing::Random;

/// L + E of the incomplete factors (E + L) E^-1 (E + L)' by the definition, on a dense matrix in
/// the order of elimination. `pattern` says which blocks there are.
struct DenseFactors {
    Eigen::MatrixXd L, E;
    bool positive = true;
};

DenseFactors textbook_ic0(const Eigen::MatrixXd& B, const Eigen::MatrixXd& pattern, double shift) {
    const Eigen::Index n = B.rows() / 3;
    const auto block = [](auto& M, Eigen::Index i, Eigen::Index j) {
        return M.template block<3, 3>(3 * i, 3 * j);
    };
    DenseFactors f{Eigen::MatrixXd::Zero(3 * n, 3 * n), Eigen::MatrixXd::Zero(3 * n, 3 * n)};
    std::vector<Mat3> inverse;
    for (Eigen::Index i = 0; i < n; ++i) {
        Mat3 pivot = (1 + shift) * block(B, i, i);
        for (Eigen::Index j = 0; j < i; ++j) {
            if (block(pattern, i, j).isZero(0)) continue;
            Mat3 sum = block(B, i, j);
            for (Eigen::Index k = 0; k < j; ++k)
                if (!block(pattern, i, k).isZero(0) && !block(pattern, j, k).isZero(0))
                    sum -=
                        block(f.L, i, k) * inverse[std::size_t(k)] * block(f.L, j, k).transpose();
            block(f.L, i, j) = sum;
            pivot -= sum * inverse[std::size_t(j)] * sum.transpose();
        }
        block(f.E, i, i) = pivot;
        f.positive = f.positive && oracle::eigenvalues((pivot + pivot.transpose()) / 2)[0] > 0;
        inverse.emplace_back();
        for (int c = 0; c < 3; ++c)
            inverse.back().col(c) = oracle::solve_dense(pivot, Vec3::Unit(c));
    }
    return f;
}

/// Nonzero where A has a block.
Eigen::MatrixXd pattern_of(const sparse::Matrix3& A) {
    Eigen::MatrixXd pattern = Eigen::MatrixXd::Zero(3 * A.rows(), 3 * A.rows());
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.pattern().row_begin[std::size_t(i)];
             s < A.pattern().row_begin[std::size_t(i) + 1]; ++s)
            pattern.block<3, 3>(3 * i, 3 * A.pattern().column[std::size_t(s)]).setOnes();
    return pattern;
}

///   0 --- 1     Kershaw's matrix, 3 on the diagonal, -2 on three edges and +2 on the fourth, times
///   |     |     the 3 x 3 identity. SPD (the smallest eigenvalue is 3 - sqrt 8), but what is
///   3 --- 2     dropped at (1, 3) makes the last pivot -1.8.
sparse::Matrix3 kershaw() {
    const std::vector<Index> edges = {0, 1, 1, 2, 2, 3, 3, 0};
    const sparse::StencilSet stencils{2, edges};
    sparse::Matrix3 A(sparse::make_pattern(4, {&stencils, 1}));
    for (Index i = 0; i < 4; ++i)
        for (Index s = A.pattern().row_begin[std::size_t(i)];
             s < A.pattern().row_begin[std::size_t(i) + 1]; ++s) {
            const Index j = A.pattern().column[std::size_t(s)];
            const double value = i == j ? 3 : i + j == 3 && i * j == 0 ? 2 : -2;
            A.block(s) = value * Mat3::Identity();
        }
    return A;
}

TEST(IncompleteCholesky, IsExactForAChain) {
    const sparse::Matrix3 A = testing::grid_matrix(40, 1, 1e2, 1, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const auto preconditioner = make_preconditioner("ic0");
    const VecX r = Random(3).field(A.rows());
    VecX z;

    ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
    preconditioner->apply(r, z);

    EXPECT_LE((dense_prefiltered(A, filter) * z - r).norm(), 1e-11 * r.norm());
}

TEST(IncompleteCholesky, AgreesWithTheMatrixOnItsPatternAndNotElsewhere) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 100, 1, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const Eigen::MatrixXd B = dense_prefiltered(A, filter), pattern = pattern_of(A);
    const auto preconditioner = make_preconditioner("ic0");

    ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());

    ASSERT_NE(preconditioner->description().find("no shift"), std::string::npos)
        << preconditioner->description();
    const Eigen::MatrixXd inverse = dense_inverse(*preconditioner, A.rows());
    Eigen::MatrixXd M(B.rows(), B.cols());
    for (Eigen::Index k = 0; k < B.cols(); ++k)
        M.col(k) = oracle::solve_dense(inverse, VecX::Unit(B.rows(), k));
    const Eigen::MatrixXd difference = M - B;
    EXPECT_LE(difference.cwiseProduct(pattern).norm(), 1e-10 * B.norm());
    EXPECT_GE(difference.norm(), 1e-3 * B.norm());
}

TEST(IncompleteCholesky, IsTheTextbookFactorisationOverManyStrips) {
    const sparse::Matrix3 A = testing::grid_matrix(33, 20, 10, 0, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const std::vector<Index> order = elimination_order(A);
    const Eigen::MatrixXd B = testing::permuted(dense_prefiltered(A, filter), order);
    const auto preconditioner = make_preconditioner("ic0");
    const VecX r = Random(3).field(A.rows());
    VecX z;

    ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
    preconditioner->apply(r, z);

    ASSERT_NE(preconditioner->description().find("no shift, 660 vertices in 2 strips"),
              std::string::npos)
        << preconditioner->description();
    const DenseFactors f = textbook_ic0(B, testing::permuted(pattern_of(A), order), 0);
    ASSERT_TRUE(f.positive);
    VecX image = (f.E + f.L).transpose() * testing::permuted(z, order);
    for (Index i = 0; i < A.rows(); ++i)
        vec3(image, i) = oracle::solve_dense(f.E.block<3, 3>(3 * i, 3 * i), vec3(image, i)).eval();
    EXPECT_LE(((f.E + f.L) * image - testing::permuted(r, order)).norm(), 1e-10 * r.norm());
}

TEST(IncompleteCholesky, ShiftsTheDiagonalWhenAPivotFailsAndSaysSo) {
    const sparse::Matrix3 A = kershaw();
    const Eigen::MatrixXd B = testing::dense(A);
    ASSERT_GT(oracle::eigenvalues(B)[0], 0.1);
    const std::vector<Index> order = elimination_order(A);
    const Eigen::MatrixXd ordered = testing::permuted(B, order);
    const Eigen::MatrixXd pattern = testing::permuted(pattern_of(A), order);
    ASSERT_FALSE(textbook_ic0(ordered, pattern, 0).positive);
    const auto preconditioner = make_preconditioner("ic0", {{"shift", 0.1}});

    const SolveReport report = preconditioner->setup(A, sparse::NodeFilter(4), {});

    ASSERT_TRUE(report.ok()) << report.message;
    // The pivots hold when 3 (1 + alpha) > sqrt 12: alpha = 0.1 is too small, 0.2 is not.
    ASSERT_FALSE(textbook_ic0(ordered, pattern, 0.1).positive);
    const DenseFactors f = textbook_ic0(ordered, pattern, 0.2);
    ASSERT_TRUE(f.positive);
    const std::string said = preconditioner->description();
    EXPECT_NE(said.find("shift alpha = 0.2 after 3 factorisations"), std::string::npos) << said;
    EXPECT_NE(said.find("failed at vertex " + std::to_string(order.back())), std::string::npos)
        << said;
    const VecX r = Random(3).field(4);
    VecX z;
    preconditioner->apply(r, z);
    const VecX u = oracle::solve_dense(f.E + f.L, testing::permuted(r, order));
    const VecX expected = oracle::solve_dense((f.E + f.L).transpose(), f.E * u);
    EXPECT_LE((testing::permuted(z, order) - expected).norm(), 1e-12 * expected.norm());
}

TEST(IncompleteCholesky, ForgetsTheShiftWithTheNextMatrix) {
    const sparse::Matrix3 A = kershaw();
    sparse::Matrix3 easy = A;
    for (Index i = 0; i < 4; ++i)
        easy.block(A.pattern().diagonal[std::size_t(i)]) *= 2;
    const auto preconditioner = make_preconditioner("ic0");

    ASSERT_TRUE(preconditioner->setup(A, sparse::NodeFilter(4), {}).ok());
    EXPECT_NE(preconditioner->description().find("alpha = 0.16 after 6"), std::string::npos)
        << preconditioner->description();
    ASSERT_TRUE(preconditioner->setup(easy, sparse::NodeFilter(4), {}).ok());

    EXPECT_NE(preconditioner->description().find("no shift"), std::string::npos)
        << preconditioner->description();
}

TEST(IncompleteCholesky, IsPositiveAlsoWhenTheMatrixIsNot) {
    sparse::Matrix3 A = testing::grid_matrix(5, 4, 1e3, 0, 1);
    for (Index i = 0; i < A.rows(); ++i)
        A.block(A.pattern().diagonal[std::size_t(i)]).setIdentity();
    const auto preconditioner = make_preconditioner("ic0");

    const SolveReport report = preconditioner->setup(A, sparse::NodeFilter(A.rows()), {});

    ASSERT_TRUE(report.ok()) << report.message;
    const Eigen::MatrixXd inverse = dense_inverse(*preconditioner, A.rows());
    EXPECT_TRUE(inverse.allFinite());
    EXPECT_GT(oracle::eigenvalues((inverse + inverse.transpose()) / 2)[0], 0);
    VecX x = VecX::Zero(60);
    const SolveReport solved = testing::make_solver("prefiltered_pcg", {}, "ic0")
                                   ->solve(A, sparse::NodeFilter(20), VecX::Ones(60), x);
    EXPECT_EQ(solved.status, SolveStatus::indefinite) << solved.message;
}

TEST(IncompleteCholesky, GivesUpWithASentenceWhenNoShiftHelps) {
    sparse::Matrix3 A = kershaw();
    for (const auto& [i, j] : {std::pair(0, 1), std::pair(1, 0)})
        A.block(A.pattern().slot(i, j)) *= 1e9;

    const SolveReport report = make_preconditioner("ic0")->setup(A, sparse::NodeFilter(4), {});

    EXPECT_EQ(report.status, SolveStatus::indefinite);
    EXPECT_NE(report.message.find("pivot at vertex"), std::string::npos) << report.message;
}

TEST(IncompleteCholesky, NeedsFarFewerIterationsThanTheDiagonal) {
    const sparse::Matrix3 A = testing::grid_matrix(40, 40, 1e3, 1, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);

    const int with = testing::iterations_with(Settings::of(std::string("ic0")), A, filter);
    const int diagonal =
        testing::iterations_with(Settings::of(std::string("block_jacobi")), A, filter);

    EXPECT_LT(with, 0.5 * diagonal) << diagonal;
}

TEST(IncompleteCholesky, NamesWhatIsWrongWithTheMatrix) {
    testing::expect_named_failures("ic0");
}

}  // namespace
}  // namespace taffeta::solve

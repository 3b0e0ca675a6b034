#include <gtest/gtest.h>

#include <cmath>

#include "solve/classic_helpers.h"

namespace taffeta::solve {
namespace {

using testing::dense_inverse;
using testing::dense_prefiltered;
using testing::make_preconditioner;
using testing::Random;

/// B with respect to its diagonal blocks: D^-1/2 B D^-1/2 and D^-1/2, by Cholesky factors D = G G'
/// in place of square roots.
struct Scaled {
    Eigen::MatrixXd C, G_inverse;
};

Scaled scaled_by_diagonal(const Eigen::MatrixXd& B) {
    Scaled result{{}, Eigen::MatrixXd::Zero(B.rows(), B.cols())};
    for (Eigen::Index i = 0; i < B.rows(); i += 3) {
        const Mat3 D = B.block<3, 3>(i, i);
        Mat3 G = Mat3::Zero();
        for (int j = 0; j < 3; ++j) {
            G(j, j) = std::sqrt(D(j, j) - G.row(j).head(j).squaredNorm());
            for (int k = j + 1; k < 3; ++k)
                G(k, j) = (D(k, j) - G.row(k).head(j).dot(G.row(j).head(j))) / G(j, j);
        }
        for (int c = 0; c < 3; ++c)
            result.G_inverse.block<3, 1>(i, i + c) = oracle::solve_dense(G, Vec3::Unit(c));
    }
    result.C = result.G_inverse * B * result.G_inverse.transpose();
    result.C = ((result.C + result.C.transpose()) / 2).eval();
    return result;
}

/// T_m(x) by its definition.
double chebyshev_polynomial(int m, double x) {
    if (std::abs(x) <= 1) return std::cos(m * std::acos(x));
    const double value = std::cosh(m * std::acosh(std::abs(x)));
    return x < 0 && m % 2 == 1 ? -value : value;
}

double number_after(const std::string& text, const std::string& name) {
    const std::size_t at = text.find(name);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size()));
}

/// A grid with one stiff element over nine vertices that all move together or not at all: its
/// eigenvalue of D^-1 B is about nine, far beyond those of the springs.
sparse::Matrix3 grid_with_outlier() {
    std::vector<Index> stencil(9);
    for (Index k = 0; k < 9; ++k)
        stencil[std::size_t(k)] = 7 * k;
    const sparse::Matrix3 grid = testing::grid_matrix(10, 9, 10, 1, 1);
    std::vector<Index> pairs;
    for (Index i = 0; i < grid.rows(); ++i)
        for (Index s = grid.pattern().row_begin[std::size_t(i)];
             s < grid.pattern().row_begin[std::size_t(i) + 1]; ++s)
            pairs.insert(pairs.end(), {i, grid.pattern().column[std::size_t(s)]});
    const sparse::StencilSet stencils[] = {{2, pairs}, {9, stencil}};
    sparse::Matrix3 A(sparse::make_pattern(grid.rows(), stencils));
    for (std::size_t p = 0; p < pairs.size(); p += 2)
        A.block(A.pattern().slot(pairs[p], pairs[p + 1])) =
            grid.block(grid.pattern().slot(pairs[p], pairs[p + 1]));
    for (const Index i : stencil)
        for (const Index j : stencil)
            A.block(A.pattern().slot(i, j)) += 1e5 * Mat3::Identity();
    return A;
}

TEST(ChebyshevPreconditioner, IsTheExplicitPolynomial) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 100, 2, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const Scaled scaled = scaled_by_diagonal(dense_prefiltered(A, filter));
    // C = V t V'
    const VecX t = oracle::eigenvalues(scaled.C);
    const Eigen::MatrixXd V = oracle::eigenvectors_above(scaled.C, 0);
    ASSERT_EQ(V.cols(), t.size());
    VecX r = Random(3).field(A.rows());
    filter.project(r);
    for (const int degree : {2, 4, 6})
        for (const double ratio : {10.0, 40.0}) {
            // So many steps that lambda is exact.
            const auto preconditioner = make_preconditioner(
                "chebyshev", {{"degree", degree}, {"ratio", ratio}, {"lanczos_steps", 200}});
            VecX z;

            ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
            preconditioner->apply(r, z);

            const double b = 1.1 * t[t.size() - 1], a = b / ratio;
            const double centre = (a + b) / 2, half = (b - a) / 2;
            VecX q(t.size());
            for (Eigen::Index k = 0; k < t.size(); ++k)
                q[k] = (1 - chebyshev_polynomial(degree + 1, (centre - t[k]) / half) /
                                chebyshev_polynomial(degree + 1, centre / half)) /
                       t[k];
            const VecX expected = scaled.G_inverse.transpose() *
                                  (V * q.asDiagonal() * V.transpose() * (scaled.G_inverse * r));
            EXPECT_LE((z - expected).norm(), 1e-6 * expected.norm())
                << "degree " << degree << ", ratio " << ratio;
        }
}

TEST(ChebyshevPreconditioner, BoundsTheLargestEigenvalueOfTheFreeVertices) {
    for (const double decades : {0.0, 2.0, 5.0}) {
        const sparse::Matrix3 A = testing::grid_matrix(12, 10, 1e3, decades, 1);
        const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
        const auto preconditioner = make_preconditioner("chebyshev");

        ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());

        const VecX t = oracle::eigenvalues(scaled_by_diagonal(dense_prefiltered(A, filter)).C);
        const double exact = t[t.size() - 1];
        const double lambda = number_after(preconditioner->description(), "lambda = ");
        EXPECT_LE(lambda, 1.001 * exact) << decades;
        EXPECT_GE(1.1 * lambda, exact) << decades;
    }
}

TEST(ChebyshevPreconditioner, IsPositiveAlsoWhenLanczosMissesAnEigenvalue) {
    const sparse::Matrix3 A = grid_with_outlier();
    const sparse::NodeFilter filter(A.rows());
    for (const int degree : {2, 4, 6}) {
        const auto preconditioner =
            make_preconditioner("chebyshev", {{"degree", degree}, {"lanczos_steps", 2}});

        ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());

        const VecX t = oracle::eigenvalues(scaled_by_diagonal(testing::dense(A)).C);
        const double b = 1.1 * number_after(preconditioner->description(), "lambda = ");
        ASSERT_GT(t[t.size() - 1], b * (1 + 1 / 30.0)) << "the test has lost its point";
        const Eigen::MatrixXd inverse = dense_inverse(*preconditioner, A.rows());
        EXPECT_LE((inverse - inverse.transpose()).norm(), 1e-11 * inverse.norm());
        EXPECT_GT(oracle::eigenvalues((inverse + inverse.transpose()) / 2)[0], 0) << degree;
    }
}

TEST(ChebyshevPreconditioner, RefusesOddDegrees) {
    for (const int degree : {0, 1, 3, 5})
        EXPECT_THROW(make_preconditioner("chebyshev", {{"degree", degree}}), Error) << degree;
    EXPECT_NO_THROW(make_preconditioner("chebyshev", {{"degree", 8}}));
}

TEST(ChebyshevPreconditioner, TakesFewerIterationsTheHigherTheDegree) {
    const sparse::Matrix3 A = testing::grid_matrix(40, 40, 1e3, 1, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const auto iterations = [&](int degree) {
        return testing::iterations_with(testing::solver_settings("chebyshev", {{"degree", degree}}),
                                        A, filter);
    };
    const int diagonal =
        testing::iterations_with(Settings::of(std::string("block_jacobi")), A, filter);

    EXPECT_LT(iterations(2), 0.6 * diagonal);
    EXPECT_LT(iterations(4), 0.4 * diagonal);
    EXPECT_LT(iterations(6), 0.3 * diagonal);
}

TEST(ChebyshevPreconditioner, WorksWhenNothingIsFree) {
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    sparse::NodeFilter filter(16);
    for (Index i = 0; i < 16; ++i)
        filter.fix(i);
    const auto preconditioner = make_preconditioner("chebyshev");
    VecX z;

    ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
    preconditioner->apply(VecX::Zero(48), z);

    EXPECT_EQ(z, VecX::Zero(48));
}

TEST(ChebyshevPreconditioner, NamesWhatIsWrongWithTheMatrix) {
    testing::expect_named_failures("chebyshev");
}

}  // namespace
}  // namespace taffeta::solve

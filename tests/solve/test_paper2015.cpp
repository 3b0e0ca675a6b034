#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "solve/sa_helpers.h"
#include "taffeta/solve/preconditioner.h"
#include "taffeta/solve/sa/chebyshev_smoother.h"
#include "taffeta/solve/sa/galerkin.h"
#include "taffeta/solve/sa/prolongator.h"
#include "taffeta/solve/sa/strength.h"

/// The parts of [TJM15] that our own recipe leaves out, against dense algebra: strength by spectral
/// radius, special vertices, smoothing of the kernel, the Chebyshev smoother, and the whole preset.
namespace taffeta::solve {
namespace {

using testing::elastic_matrix;
using testing::padded;
using testing::Random;
using testing::rows_of;
using testing::sheet;
using testing::unpadded;

/// D^-1 A.
Eigen::MatrixXd scaled(const Eigen::MatrixXd& A) {
    Eigen::MatrixXd result = A;
    for (Eigen::Index i = 0; i < A.rows() / 3; ++i)
        result.middleRows(3 * i, 3) =
            A.block<3, 3>(3 * i, 3 * i).inverse() * A.middleRows(3 * i, 3);
    return result;
}

sa::Recipe spectral() {
    sa::Recipe recipe;
    recipe.strength = 0;  // every coupling is strong: all weights can be seen
    recipe.spectral_strength = true;
    return recipe;
}

TEST(Paper2015, StrengthIsTheSpectralRadiusBetweenSymmetricRoots) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 5, 1e3, 2, 7);
    const Eigen::MatrixXd full = testing::dense(A);
    const auto root = [&](Index i) -> Mat3 {
        return Eigen::SelfAdjointEigenSolver<Mat3>(Mat3(full.block<3, 3>(3 * i, 3 * i)))
            .operatorInverseSqrt();
    };

    const sa::Strength strength = sa::strength_of(rows_of(A), spectral());

    int seen = 0;
    for (Index i = 0; i < A.rows(); ++i)
        for (Index k = strength.row_begin[std::size_t(i)];
             k < strength.row_begin[std::size_t(i) + 1]; ++k, ++seen) {
            const Index j = strength.column[std::size_t(k)];
            const Mat3 N = root(i) * full.block<3, 3>(3 * i, 3 * j) * root(j);
            const double radius = Eigen::EigenSolver<Mat3>(N).eigenvalues().cwiseAbs().maxCoeff();
            EXPECT_NEAR(double(strength.weight[std::size_t(k)]), radius, 0.02 * radius)
                << i << " " << j;
        }
    EXPECT_EQ(seen, A.pattern().blocks() - A.rows());
}

TEST(Paper2015, SpecialVerticesHaveNoStrongConnectionFromEitherEnd) {
    sparse::Matrix3 A = testing::grid_matrix(8, 8, 1e3, 0, 3);
    const Index heavy = 27;
    A.block(A.pattern().diagonal[heavy]) += 1e9 * Mat3::Identity();
    sa::Recipe recipe;
    recipe.special = 0.05;

    const sa::Strength strength = sa::strength_of(rows_of(A), recipe);

    EXPECT_EQ(strength.row_begin[heavy], strength.row_begin[heavy + 1]);
    EXPECT_EQ(std::count(strength.column.begin(), strength.column.end(), heavy), 0);
    EXPECT_GT(strength.row_begin[heavy], 0);  // the others have theirs
}

TEST(Paper2015, TheKernelIsRelaxedOnce) {
    const sparse::Matrix3 A = testing::grid_matrix(6, 6, 1e3, 1, 2);
    sa::Kernel<3> kernel(36);
    Eigen::MatrixXd K(108, 6);
    Random random(8);
    for (Index i = 0; i < 36; ++i) {
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 6; ++c)
                kernel[std::size_t(i)](r, c) = random.uniform();
        K.middleRows<3>(3 * i) = kernel[std::size_t(i)];
    }
    const double omega = 0.7;
    const Eigen::MatrixXd expected = K - omega * scaled(testing::dense(A)) * K;

    sa::smooth_kernel(rows_of(A), float(omega), kernel);

    for (Index i = 0; i < 36; ++i)
        EXPECT_LE((kernel[std::size_t(i)] - expected.middleRows<3>(3 * i)).norm(),
                  3e-6 * scaled(testing::dense(A)).norm() * K.norm());
}

/// I - p(D^-1 A) D^-1 A by the three-term recurrence of Chebyshev polynomials, in dense doubles.
Eigen::MatrixXd error_propagation(const Eigen::MatrixXd& DA,
                                  const sa::ChebyshevInterval& interval) {
    const double high = double(interval.lambda), low = high / interval.ratio;
    const double theta = (high + low) / 2, delta = (high - low) / 2;
    const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(DA.rows(), DA.cols());
    const Eigen::MatrixXd X = (theta * I - DA) / delta;
    Eigen::MatrixXd before = I, now = X;
    double before_at_zero = 1, now_at_zero = theta / delta;
    for (int k = 1; k < interval.degree; ++k) {
        const Eigen::MatrixXd next = 2 * X * now - before;
        const double next_at_zero = 2 * theta / delta * now_at_zero - before_at_zero;
        before = now, now = next;
        before_at_zero = now_at_zero, now_at_zero = next_at_zero;
    }
    return now / now_at_zero;
}

TEST(Paper2015, ChebyshevSweepIsTheScaledChebyshevPolynomial) {
    const sparse::Matrix3 A = testing::grid_matrix(7, 6, 10, 1, 3);
    const sa::SquareRows<3> rows = rows_of(A);
    const Eigen::MatrixXd full = testing::dense(A), DA = scaled(full);
    const VecX exact = Random(1).field(A.rows()), b = full * exact;
    for (int degree = 1; degree <= 4; ++degree)
        for (const bool from_zero : {true, false}) {
            const sa::ChebyshevInterval interval{degree, 2.3f, 20};
            const VecX start = from_zero ? VecX::Zero(b.size()) : Random(5).field(A.rows());
            sa::FloatArray x = padded(start), r = padded(b), d = padded(b);

            sa::chebyshev_sweep(rows, interval, from_zero, padded(b), x, r, d);

            const VecX error = error_propagation(DA, interval) * (exact - start);
            EXPECT_LE((exact - unpadded(x) - error).norm(), 2e-4 * exact.norm())
                << degree << " " << from_zero;
        }
}

/// On an elastic sheet with a held edge.
TEST(Paper2015, ThePresetSolvesInAHandfulOfIterations) {
    for (const Index size : {20, 40, 80}) {
        const sparse::Matrix3 A = elastic_matrix(size, size, 1e4);
        const VecX coordinates = sheet(size, size);
        sparse::NodeFilter filter(size * size);
        for (Index v = 0; v < size; ++v)
            filter.fix(v);
        Settings settings = testing::solver_settings("prefiltered_pcg");
        settings["preconditioner"] = testing::solver_settings("sa");
        settings["preconditioner"]["preset"] = Settings::of(std::string("paper2015"));
        const auto solver = make_linear_solver(settings);
        solver->set_near_kernel({&coordinates});
        VecX exact = Random(4).field(A.rows()), b, x = VecX::Zero(exact.size());
        filter.project(exact);
        sparse::multiply(A, exact, b);

        const SolveReport report = solver->solve(A, filter, b, x);

        ASSERT_TRUE(report.ok()) << report.message;
        EXPECT_LE(report.iterations, 10) << size;
        EXPECT_LE((x - exact).norm(), 1e-3 * exact.norm()) << size;
    }
}

/// <u, M^-1 v> = <v, M^-1 u> > 0: a Chebyshev smoother whose polynomial is the same before and
/// after the coarse correction keeps the cycle symmetric.
TEST(Paper2015, TheCycleIsSymmetricAndPositive) {
    const sparse::Matrix3 A = testing::grid_matrix(30, 30, 1e3, 1, 6);
    const sparse::NodeFilter filter(900);
    Settings settings = Settings::object();
    settings["preset"] = Settings::of(std::string("paper2015"));
    const auto preconditioner =
        find_entry(preconditioners(), "preconditioner", "sa").make(settings);
    ASSERT_TRUE(preconditioner->setup(A, filter, {}).ok());
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const VecX u = Random(seed).field(900), v = Random(seed + 10).field(900);
        VecX Mu, Mv;
        preconditioner->apply(u, Mu);
        preconditioner->apply(v, Mv);
        EXPECT_NEAR(u.dot(Mv), v.dot(Mu), 1e-5 * u.norm() * Mv.norm());
        EXPECT_GT(u.dot(Mu), 0);
    }
}

TEST(Paper2015, WhatIsGivenBesideThePresetWins) {
    sa::Options options;
    options.preset = "paper2015";
    options.lanczos_steps = 4;
    options.smoother = "gauss_seidel";
    const sa::Recipe recipe = options.recipe();
    EXPECT_EQ(recipe.lanczos_steps, 4);
    EXPECT_FALSE(recipe.chebyshev);
    EXPECT_FALSE(recipe.distance_two);
    EXPECT_TRUE(recipe.smooth_kernel);
    EXPECT_TRUE(sa::Options().recipe().distance_two);
}

}  // namespace
}  // namespace taffeta::solve

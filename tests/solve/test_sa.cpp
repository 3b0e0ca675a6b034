#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <bit>
#include <limits>

#include "solve/sa_helpers.h"
#include "taffeta/solve/sa/gauss_seidel.h"
#include "taffeta/solve/sa/hierarchy.h"
#include "taffeta/solve/sa/lanczos.h"

/// Smoothed aggregation piece by piece against dense algebra, and the traps of the method: special
/// vertices, ranks, far origins, constraints, several components, units.
namespace taffeta::solve {
namespace {

using testing::elastic_matrix;
using testing::half_of;
using testing::padded;
using testing::Random;
using testing::rows_of;
using testing::sheet;
using testing::unpadded;

template <int R>
Eigen::MatrixXd dense(const sa::ProlongatorRows<R, 6>& P, Index coarse) {
    const Index n = Index(P.row_begin.size()) - 1;
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(R * n, 6 * coarse);
    for (Index i = 0; i < n; ++i)
        for (Index s = P.row_begin[std::size_t(i)]; s < P.row_begin[std::size_t(i) + 1]; ++s)
            for (int r = 0; r < R; ++r)
                for (int c = 0; c < 6; ++c)
                    full(R * i + r, 6 * P.column[std::size_t(s)] + c) = P.block(s)(r, c);
    return full;
}

Eigen::MatrixXd dense(const sa::SquareRows<6>& A) {
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(6 * A.rows(), 6 * A.rows());
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.row_begin[std::size_t(i)]; s < A.row_begin[std::size_t(i) + 1]; ++s)
            for (int c = 0; c < 6; ++c)
                for (int r = 0; r < 6; ++r)
                    full(6 * i + r, 6 * A.column[std::size_t(s)] + c) = A.block(s)[6 * c + r];
    return full;
}

sa::Kernel<3> rigid_modes(const VecX& x) {
    sa::Kernel<3> kernel(std::size_t(x.size() / 3));
    for (Index v = 0; v < Index(kernel.size()); ++v) {
        sa::KernelBlock<3>& K = kernel[std::size_t(v)];
        K.leftCols<3>().setIdentity();
        for (int k = 0; k < 3; ++k)
            K.col(3 + k) = Vec3::Unit(k).cross(vec3(x, v));
    }
    return kernel;
}

struct Coarsened {
    sa::SquareRows<3> A;
    sa::Strength strength;
    sa::Aggregates aggregates;

    explicit Coarsened(const sparse::Matrix3& matrix, const sa::Recipe& recipe = {})
        : A(rows_of(matrix)),
          strength(sa::strength_of(A, recipe)),
          aggregates(sa::aggregate(strength, recipe)) {}
};

sa::ProlongatorRows<3, 6> smoothed(const Coarsened& level, const sa::Tentative<6>& basis,
                                   float omega, const sa::HalfRows<3>& half) {
    sa::ProlongatorRows<3, 6> P;
    sa::Workspaces workspaces;
    sa::make_prolongator_pattern(level.A, level.aggregates, P);
    sa::smooth_prolongator(half, level.A.inverse_diagonal, level.aggregates, basis.block, omega,
                           workspaces, P);
    return P;
}

TEST(SmoothedAggregation, StrengthIsSymmetric) {
    const Coarsened level(testing::grid_matrix(12, 11, 1e3, 3, 5));
    const sa::Strength& s = level.strength;
    for (Index i = 0; i < level.A.rows(); ++i)
        for (Index k = s.row_begin[std::size_t(i)]; k < s.row_begin[std::size_t(i) + 1]; ++k) {
            const Index j = s.column[std::size_t(k)];
            const auto first = s.column.begin() + s.row_begin[std::size_t(j)];
            const auto last = s.column.begin() + s.row_begin[std::size_t(j) + 1];
            const auto mirror = std::find(first, last, i);
            ASSERT_NE(mirror, last) << i << " " << j;
            EXPECT_EQ(s.weight[std::size_t(mirror - s.column.begin())], s.weight[std::size_t(k)]);
        }
}

TEST(SmoothedAggregation, EveryVertexWithStrongNeighboursIsInOneAggregateAndNotAlone) {
    for (const bool two : {true, false})
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            sa::Recipe recipe;
            recipe.distance_two = two;
            const Coarsened level(testing::grid_matrix(17, 13, 1e3, double(seed), seed), recipe);
            std::vector<int> size(std::size_t(level.aggregates.count));
            for (Index i = 0; i < level.A.rows(); ++i) {
                const Index a = level.aggregates.of[std::size_t(i)];
                const bool alone = level.strength.row_begin[std::size_t(i)] ==
                                   level.strength.row_begin[std::size_t(i) + 1];
                ASSERT_EQ(a < 0, alone) << "vertex " << i;
                if (a >= 0) ++size[std::size_t(a)];
            }
            for (const int members : size)
                EXPECT_GE(members, 2);  // two, where a pair has no other strong neighbour
        }
}

TEST(SmoothedAggregation, VerticesWithoutStrongNeighboursStayOut) {
    sparse::Matrix3 A = testing::grid_matrix(8, 8, 1e3, 0, 3);
    const Index lonely = 27;
    for (Index s = A.pattern().row_begin[lonely]; s < A.pattern().row_begin[lonely + 1]; ++s) {
        const Index j = A.pattern().column[std::size_t(s)];
        if (j == lonely) continue;
        A.block(s).setZero();
        A.block(A.pattern().slot(j, lonely)).setZero();
    }

    const Coarsened level(A);

    EXPECT_EQ(level.aggregates.of[lonely], -1);
    EXPECT_EQ(std::count(level.aggregates.of.begin(), level.aggregates.of.end(), -1), 1);
}

TEST(SmoothedAggregation, TentativeProlongatorReproducesTheRigidModesAlsoFarAway) {
    const Coarsened level(testing::grid_matrix(15, 15, 1e3, 0, 1));
    for (const double distance : {0.0, 1.0, 1000.0}) {
        const sa::Kernel<3> kernel = rigid_modes(sheet(15, 15, distance * Vec3(1, -2, 0.5)));

        const sa::Tentative<6> found = sa::tentative<6>(kernel, level.aggregates);

        for (const unsigned char missing : found.missing)
            EXPECT_EQ(missing, 0);
        for (Index i = 0; i < level.A.rows(); ++i) {
            const Eigen::Map<const Eigen::Matrix<float, 3, 6, Eigen::RowMajor>> Q(
                found.block.data() + 18 * i);
            const auto& R = found.coarse[std::size_t(level.aggregates.of[std::size_t(i)])];
            const auto& K = kernel[std::size_t(i)];
            EXPECT_LE((Q.cast<double>() * R - K).norm(), 1e-6 * (1 + distance)) << i;
        }
    }
}

TEST(SmoothedAggregation, CollinearAggregatesMissARotation) {
    // A chain along x: no aggregate can tell a turn about x.
    const Coarsened level(testing::grid_matrix(30, 1, 1e3, 0, 1));
    const sa::Tentative<6> found = sa::tentative<6>(rigid_modes(sheet(30, 1)), level.aggregates);

    ASSERT_GT(level.aggregates.count, 1);
    for (const unsigned char missing : found.missing)
        EXPECT_EQ(std::popcount(missing), 1);
}

/// Rows in as many strips as there can be, and in one.
TEST(SmoothedAggregation, ProlongatorIsTheTentativeOneSmoothedOnce) {
    const sparse::Matrix3 matrix = testing::grid_matrix(14, 13, 1e2, 2, 6);
    const Coarsened level(matrix);
    const sa::Tentative<6> basis = sa::tentative<6>(rigid_modes(sheet(14, 13)), level.aggregates);
    const float omega = 0.6f;
    const Eigen::MatrixXd A = testing::dense(matrix);
    Eigen::MatrixXd P_hat = Eigen::MatrixXd::Zero(A.rows(), 6 * level.aggregates.count);
    Eigen::MatrixXd D_inverse = Eigen::MatrixXd::Zero(A.rows(), A.rows());
    for (Index i = 0; i < level.A.rows(); ++i) {
        D_inverse.block<3, 3>(3 * i, 3 * i) = A.block<3, 3>(3 * i, 3 * i).inverse();
        if (const Index a = level.aggregates.of[std::size_t(i)]; a >= 0)
            P_hat.block<3, 6>(3 * i, 6 * a) =
                Eigen::Map<const Eigen::Matrix<float, 3, 6, Eigen::RowMajor>>(basis.block.data() +
                                                                              18 * i)
                    .cast<double>();
    }
    Eigen::MatrixXd expected = P_hat - double(omega) * D_inverse * A * P_hat;
    for (Index i = 0; i < level.A.rows(); ++i)  // which are left to the smoother
        if (level.aggregates.of[std::size_t(i)] < 0) expected.middleRows<3>(3 * i).setZero();
    for (const bool many : {false, true}) {
        const sa::Strips strips = testing::strips_of(level.A, many);
        ASSERT_EQ(strips.count() > 4, many);

        const sa::ProlongatorRows<3, 6> P = smoothed(level, basis, omega, half_of(level.A, strips));

        // Rounded to the fixed point of P, after a few operations in single precision.
        EXPECT_LE((dense(P, level.aggregates.count) - expected).cwiseAbs().maxCoeff(),
                  0.5 * double(sa::fixed_unit) + 3e-6);
    }
}

TEST(SmoothedAggregation, CoarseMatrixIsTheGalerkinProductToTheLastSymmetry) {
    const sparse::Matrix3 matrix = testing::grid_matrix(14, 13, 1e2, 2, 6);
    const Coarsened level(matrix);
    const sa::Tentative<6> basis = sa::tentative<6>(rigid_modes(sheet(14, 13)), level.aggregates);
    for (const bool many : {false, true}) {
        const sa::HalfRows<3> half = half_of(level.A, testing::strips_of(level.A, many));
        const sa::ProlongatorRows<3, 6> P = smoothed(level, basis, 0.6f, half);
        sa::SquareRows<6> coarse;
        sa::Workspaces workspaces;

        sa::make_galerkin_pattern(level.A, P, level.aggregates.count, coarse);
        sa::galerkin_product(half, P, basis.missing, workspaces, coarse);

        const Eigen::MatrixXd full = dense(P, level.aggregates.count);
        Eigen::MatrixXd expected = full.transpose() * testing::dense(matrix) * full;
        const Eigen::MatrixXd found = dense(coarse);
        for (Index a = 0; a < coarse.rows(); ++a)
            for (int k = 0; k < 6; ++k)
                if (basis.missing[std::size_t(a)] & (1u << k)) {
                    EXPECT_GT(found(6 * a + k, 6 * a + k), 0);
                    expected(6 * a + k, 6 * a + k) = found(6 * a + k, 6 * a + k);
                }
        EXPECT_LE((found - expected).norm(), 1e-6 * expected.norm());
        EXPECT_EQ(found, found.transpose());
    }
}

TEST(SmoothedAggregation, ForwardSweepKnowsItsResidualAndTheBackwardOneIsItsAdjoint) {
    for (const Index rows : {1, 5, 30}) {
        const sparse::Matrix3 A = testing::grid_matrix(7, rows, 10, 1, 3);
        const sa::SquareRows<3> level = rows_of(A);
        const sa::Strips strips = sa::make_strips(level.rows(), rows == 1 ? 1 : 8, 1);
        const sa::HalfRows<3> half = half_of(level, strips);
        if (rows == 30) {
            ASSERT_GT(strips.count(), 6);
        }
        const VecX b = Random(1).field(level.rows()), c = Random(2).field(level.rows());
        sa::FloatArray x = padded(VecX::Zero(b.size())), r = padded(b), y = padded(0 * b);
        sa::FloatArray scratch = padded(b);

        sa::smooth_from_zero(half, level.inverse_diagonal, padded(b), x, r);
        sa::smooth_backward(half, level.inverse_diagonal, padded(c), y, scratch);

        const VecX residual = b - testing::dense(A) * unpadded(x);
        EXPECT_LE((unpadded(r) - residual).norm(), 1e-5 * b.norm()) << rows;
        EXPECT_NEAR(c.dot(unpadded(x)), b.dot(unpadded(y)), 1e-5 * c.norm() * unpadded(x).norm())
            << rows;
    }
}

TEST(SmoothedAggregation, BackwardSweepKnowsTheProductWithWhatItMade) {
    for (const Index rows : {1, 5, 30}) {
        const sparse::Matrix3 A = testing::grid_matrix(7, rows, 10, 1, 3);
        const sa::SquareRows<3> level = rows_of(A);
        const sa::Strips strips = sa::make_strips(level.rows(), rows == 1 ? 1 : 8, 1);
        const sa::HalfRows<3> half = half_of(level, strips);
        const sa::FloatArray b = padded(Random(1).field(level.rows()));
        const VecX start = Random(2).field(level.rows());
        sa::FloatArray plain = padded(start), x = padded(start), change = padded(0 * start),
                       product = padded(0 * start);
        sa::smooth_backward(half, level.inverse_diagonal, b, plain, product);

        sa::smooth_backward_and_multiply(half, level.inverse_diagonal, b, x, change, product);

        EXPECT_EQ(unpadded(x), unpadded(plain)) << rows;
        const Eigen::MatrixXd dense = testing::dense(A);
        const VecX image = dense * unpadded(x);
        // Each number of A and each of the sums is rounded once or twice.
        const double rounded = (dense.cwiseAbs() * unpadded(x).cwiseAbs()).norm();
        EXPECT_LE((unpadded(product) - image).norm(), 4 * 0x1p-24 * rounded) << rows;
    }
}

/// Where no row is coupled, no strip has rows that see another one.
TEST(SmoothedAggregation, SweepsTakeRowsThatAreNotCoupled) {
    constexpr Index count = 60;
    sparse::Matrix3 A(sparse::make_pattern(count, {}));
    Random random(6);
    for (Index i = 0; i < count; ++i)
        A.block(i) =
            Vec3(random.uniform(1, 2), random.uniform(1, 2), random.uniform(1, 2)).asDiagonal();
    const sa::SquareRows<3> level = rows_of(A);
    const sa::Strips strips = sa::make_strips(count, 0, 1);
    ASSERT_EQ(strips.count(), count);
    const VecX b = Random(1).field(count), start = Random(2).field(count);
    sa::FloatArray x = padded(start), change = padded(0 * b), product = padded(0 * b);

    sa::smooth_backward_and_multiply(half_of(level, strips), level.inverse_diagonal, padded(b), x,
                                     change, product);

    EXPECT_LE((unpadded(product) - b).norm(), 1e-6 * b.norm());
}

/// Also where vertices are held, partly or wholly, and in every unit.
TEST(SmoothedAggregation, GivesTheImageOfWhatItReturns) {
    for (const double unit : {1e-6, 1.0, 1e6}) {
        sparse::Matrix3 A = elastic_matrix(40, 60, 1e3);
        for (Index s = 0; s < A.pattern().blocks(); ++s)
            A.block(s) *= unit;
        const sparse::NodeFilter filter = testing::mixed_filter(2400, 7);
        const VecX coordinates = sheet(40, 60);
        const auto sa = find_entry(preconditioners(), "preconditioner", "sa").make(Settings());
        ASSERT_TRUE(sa->setup(A, filter, {&coordinates}).ok());
        VecX r = Random(3).field(2400), z, image, expected;
        filter.project(r);

        ASSERT_TRUE(sa->apply_and_multiply(r, z, image));

        VecX plain;
        sa->apply(r, plain);
        EXPECT_EQ(z, plain);
        sparse::multiply(A, z, expected);
        filter.project(expected);
        EXPECT_LE((image - expected).norm(), 1e-5 * expected.norm()) << unit;
    }
}

/// Products in single precision are for loose tolerances; tight ones are reached all the same.
TEST(SmoothedAggregation, ReachesTightTolerancesBesideProductsInSinglePrecision) {
    const sparse::Matrix3 A = elastic_matrix(50, 50, 1e6);
    const VecX coordinates = sheet(50, 50);
    const VecX exact = Random(4).field(A.rows());
    VecX b;
    sparse::multiply(A, exact, b);
    for (const double tolerance : {1e-4, 2e-7, 1e-7, 1e-9, 1e-11}) {
        const auto solver =
            testing::make_solver("prefiltered_pcg", {{"tolerance", tolerance}}, "sa");
        solver->set_near_kernel({&coordinates});
        VecX x = VecX::Zero(b.size());

        const SolveReport report = solver->solve(A, sparse::NodeFilter(2500), b, x);

        ASSERT_TRUE(report.ok()) << tolerance << ": " << report.message;
        EXPECT_LT(report.residual, tolerance);
        EXPECT_LE((x - exact).norm(), 1e3 * tolerance * exact.norm()) << tolerance;
        EXPECT_LE(report.iterations, 60) << tolerance;
    }
}

TEST(SmoothedAggregation, LargestEigenvalueIsBoundedFromAbove) {
    const sparse::Matrix3 A = testing::grid_matrix(10, 10, 1e3, 1, 2);
    const sa::SquareRows<3> rows = rows_of(A);
    const Eigen::MatrixXd full = testing::dense(A);
    Eigen::MatrixXd scaled = full;  // L^-1 A L^-T, the same eigenvalues as D^-1 A
    for (Index i = 0; i < A.rows(); ++i) {
        const Mat3 L_inverse = Eigen::LLT<Mat3>(Mat3(full.block<3, 3>(3 * i, 3 * i)))
                                   .matrixL()
                                   .solve(Mat3::Identity());
        scaled.middleRows(3 * i, 3) = (L_inverse * scaled.middleRows(3 * i, 3)).eval();
        scaled.middleCols(3 * i, 3) = (scaled.middleCols(3 * i, 3) * L_inverse.transpose()).eval();
    }
    const double exact = oracle::eigenvalues(scaled).maxCoeff();

    const double found = sa::largest_eigenvalue(rows, 10);

    EXPECT_GT(found, 0.98 * exact);
    EXPECT_LT(found, 1.15 * exact);
}

struct Taken {
    int iterations = 0;
    double error = 0;
};

/// Solves for a known solution in range(S).
Taken solved(const sparse::Matrix3& A, const sparse::NodeFilter& filter, const VecX& coordinates,
             double unit = 1) {
    const auto solver = testing::make_solver("prefiltered_pcg", {{"tolerance", 1e-8}}, "sa");
    solver->set_near_kernel({&coordinates});
    VecX exact = Random(4).field(A.rows()), b;
    filter.project(exact);
    sparse::Matrix3 scaled = A;
    for (Index s = 0; s < A.pattern().blocks(); ++s)
        scaled.block(s) *= unit;
    sparse::multiply(scaled, exact, b);
    VecX x = VecX::Zero(b.size());
    const SolveReport report = solver->solve(scaled, filter, b, x);
    EXPECT_TRUE(report.ok()) << report.message;
    return {report.iterations, (x - exact).norm() / exact.norm()};
}

TEST(SmoothedAggregation, IterationsHardlyGrowWithTheMesh) {
    int smallest = 0;
    for (const Index size : {20, 40, 80}) {
        const sparse::Matrix3 A = elastic_matrix(size, size, 1e4);
        const Taken taken = solved(A, sparse::NodeFilter(size * size), sheet(size, size));

        if (smallest == 0) smallest = taken.iterations;
        EXPECT_LE(taken.iterations, 25) << size;
        EXPECT_LE(taken.iterations, 1.5 * smallest) << size;
        EXPECT_LE(taken.error, 1e-4) << size;
    }
}

TEST(SmoothedAggregation, UnitsDoNotMatter) {
    const sparse::Matrix3 A = testing::grid_matrix(20, 20, 1e3, 1, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(400, 5);
    const Taken si = solved(A, filter, sheet(20, 20));
    for (const double unit : {1e-15, 1e-6, 1e6, 1e15})
        EXPECT_NEAR(solved(A, filter, sheet(20, 20), unit).iterations, si.iterations, 1) << unit;
}

TEST(SmoothedAggregation, TakesFixedVerticesAndSeparateComponents) {
    // Two sheets that are not connected; one is fixed entirely.
    sparse::Matrix3 A = testing::grid_matrix(16, 20, 1e3, 0, 1);
    for (Index v = 0; v < 16; ++v)
        for (Index s = A.pattern().row_begin[std::size_t(160 + v)];
             s < A.pattern().row_begin[std::size_t(160 + v) + 1]; ++s) {
            const Index j = A.pattern().column[std::size_t(s)];
            if (j >= 160) continue;
            A.block(s).setZero();
            A.block(A.pattern().slot(j, 160 + v)).setZero();
        }
    sparse::NodeFilter filter(320);
    EXPECT_LE(solved(A, filter, sheet(16, 20)).error, 1e-5);
    for (Index v = 160; v < 320; ++v)
        filter.fix(v);
    EXPECT_LE(solved(A, filter, sheet(16, 20)).error, 1e-5);
    for (Index v = 0; v < 159; ++v)
        filter.fix(v);
    EXPECT_LE(solved(A, filter, sheet(16, 20)).error, 1e-5);
}

TEST(SmoothedAggregation, FollowsConstraintsThatComeAndGo) {
    const sparse::Matrix3 A = elastic_matrix(30, 30, 1e3);
    const VecX x = sheet(30, 30);
    const auto solver = testing::make_solver("prefiltered_pcg", {{"tolerance", 1e-10}}, "sa");
    const auto reference = testing::make_solver("ldlt");
    solver->set_near_kernel({&x});
    const VecX b = Random(2).field(900);
    for (std::uint64_t step = 0; step < 12; ++step) {
        const sparse::NodeFilter filter =
            step % 3 == 2 ? sparse::NodeFilter(900) : testing::mixed_filter(900, step);
        VecX found = VecX::Zero(b.size()), expected = found;

        const SolveReport report = solver->solve(A, filter, b, found);
        ASSERT_TRUE(reference->solve(A, filter, b, expected).ok());

        ASSERT_TRUE(report.ok()) << report.message;
        EXPECT_LE((found - expected).norm(), 1e-6 * expected.norm()) << step;
        EXPECT_LE(report.iterations, 60) << step;
    }
}

/// Vertices that stick and come free, as contact has it, need no new hierarchy: aggregates are the
/// same with them and without.
TEST(SmoothedAggregation, KeepsItsAggregatesWhenVerticesStickAndComeFree) {
    const sparse::Matrix3 A = elastic_matrix(40, 40, 1e3);
    const VecX x = sheet(40, 40), b = Random(2).field(1600);
    const auto kept = testing::make_solver("prefiltered_pcg", {{"tolerance", 1e-8}}, "sa");
    kept->set_near_kernel({&x});
    for (Index step = 0; step < 8; ++step) {
        sparse::NodeFilter filter(1600);
        for (Index v = 0; v < 1600; ++v)
            if ((v / 8 + 7 * step) % 5 == 0) filter.fix(v);  // another fifth each time
        const auto fresh = testing::make_solver("prefiltered_pcg", {{"tolerance", 1e-8}}, "sa");
        fresh->set_near_kernel({&x});
        VecX found = VecX::Zero(b.size()), expected = found;

        const SolveReport report = kept->solve(A, filter, b, found);
        const SolveReport anew = fresh->solve(A, filter, b, expected);

        ASSERT_TRUE(report.ok() && anew.ok()) << report.message << anew.message;
        EXPECT_LE(report.iterations, anew.iterations + 2) << step;
        EXPECT_LE((found - expected).norm(), 1e-6 * expected.norm());
    }
    EXPECT_EQ(kept->setup_counts().built, 1);
}

TEST(SmoothedAggregation, NamesABlockThatIsNotPositive) {
    for (const double value : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
        sparse::Matrix3 A = testing::grid_matrix(10, 10, 1, 0, 1);
        A.block(A.pattern().diagonal[37])(1, 1) = value;
        const VecX b = VecX::Ones(300);
        VecX x = VecX::Zero(300);

        const SolveReport report = testing::make_solver("prefiltered_pcg", {}, "sa")
                                       ->solve(A, sparse::NodeFilter(100), b, x);

        EXPECT_EQ(report.status, value < 0 ? SolveStatus::indefinite : SolveStatus::not_finite);
        EXPECT_NE(report.message.find("vertex 37"), std::string::npos) << report.message;
    }
}

TEST(SmoothedAggregation, CanBeSetUpAfterASetUpThatFailed) {
    sparse::Matrix3 A = elastic_matrix(20, 20, 1e3);
    const VecX coordinates = sheet(20, 20), r = Random(1).field(400);
    const sparse::NodeFilter filter(400);
    const auto make = [] {
        return find_entry(preconditioners(), "preconditioner", "sa").make(Settings::object());
    };
    const auto tried = make(), fresh = make();
    ASSERT_TRUE(fresh->setup(A, filter, {&coordinates}).ok());
    VecX found, expected;
    fresh->apply(r, expected);

    auto bad = A.block(A.pattern().diagonal[37]);
    const Mat3 good = bad;
    bad.setZero();
    EXPECT_FALSE(tried->setup(A, filter, {&coordinates}).ok());
    bad = good;
    ASSERT_TRUE(tried->setup(A, filter, {&coordinates}).ok());

    tried->apply(r, found);
    EXPECT_EQ(found, expected);
}

TEST(AutoPreconditioner, SaysWhyMultigridWasNotPossible) {
    // Numbers that differ by more than single precision can hold.
    sparse::Matrix3 A = elastic_matrix(80, 80, 1e3);
    A.block(A.pattern().diagonal[37]) += 1e60 * Mat3::Identity();
    const VecX coordinates = sheet(80, 80);
    Settings settings = Settings::object();
    settings["price"] = Settings::of(1.0);  // so that multigrid is tried
    const auto preconditioner =
        find_entry(preconditioners(), "preconditioner", "auto").make(settings);

    ASSERT_TRUE(preconditioner->setup(A, sparse::NodeFilter(6400), {&coordinates}).ok());

    const std::string description = preconditioner->description();
    EXPECT_NE(description.find("not possible"), std::string::npos) << description;
    EXPECT_NE(preconditioner->block_diagonal(), nullptr);
}

TEST(SmoothedAggregation, DescribesItsLevels) {
    const sparse::Matrix3 A = testing::grid_matrix(40, 40, 1e3, 0, 1);
    const VecX b = VecX::Ones(4800), coordinates = sheet(40, 40);
    VecX x = VecX::Zero(4800);
    const auto solver = testing::make_solver("prefiltered_pcg", {}, "sa");
    solver->set_near_kernel({&coordinates});
    ASSERT_TRUE(solver->solve(A, sparse::NodeFilter(1600), b, x).ok());

    const std::string table = solver->description();

    EXPECT_NE(table.find("operator complexity 1."), std::string::npos) << table;
    EXPECT_GT(solver->bytes(), 1600u * 9 * 4 * 7);
}

}  // namespace
}  // namespace taffeta::solve

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "ode/spring_sheet.h"
#include "solve/solve_helpers.h"

/// The preconditioners on the matrix that backward Euler makes of the hanging spring sheet,
/// M + h^2 K at h = 0.04 s after 0.2 s, K clamped: conjugate gradients to 1e-8, against counts of an
/// independent implementation. [Hauth03] section 4
namespace taffeta::sim {
namespace {

using ode::testing::SpringSheet;

struct Sheet {
    SpringSheet springs{SpringSheet::Stiffness::clamped};
    sparse::Matrix3 A;
    sparse::NodeFilter filter{SpringSheet::count};

    Sheet() {
        std::vector<Index> pairs;
        for (const SpringSheet::Spring& spring : springs.springs)
            pairs.insert(pairs.end(), {spring.i, spring.j});
        const sparse::StencilSet stencils{.size = 2, .vertices = pairs};
        A = sparse::Matrix3(sparse::make_pattern(SpringSheet::count, std::span(&stencils, 1)));
        const double h = 0.04;
        dense = h * h * springs.stiffness_at(SpringSheet::fallen(20).x);
        dense.diagonal().array() += SpringSheet::mass;
        for (Index row = 0; row < A.rows(); ++row)
            for (Index s = A.pattern().row_begin[std::size_t(row)];
                 s < A.pattern().row_begin[std::size_t(row) + 1]; ++s)
                A.block(s) = dense.block<3, 3>(3 * row, 3 * A.pattern().column[std::size_t(s)]);
        for (Index vertex = 0; vertex < SpringSheet::count; ++vertex)
            if (SpringSheet::held(vertex)) filter.fix(vertex);
    }

    /// Of the 79 vertices that are free, each with its second, third and first coordinate: the order of
    /// the reference, on which SSOR depends.
    Eigen::MatrixXd free_matrix() const {
        std::vector<Eigen::Index> unknown;
        for (Index vertex = 0; vertex < SpringSheet::count; ++vertex)
            for (const Eigen::Index i : {1, 2, 0})
                if (!SpringSheet::held(vertex)) unknown.push_back(3 * vertex + i);
        return dense(unknown, unknown);
    }
    Eigen::MatrixXd dense;
};

int iterations(const Sheet& sheet, const std::string& key, double omega = 0) {
    Settings preconditioner = testing::solver_settings(key);
    if (omega > 0) preconditioner["omega"] = Settings::of(omega);
    Settings settings = testing::solver_settings("prefiltered_pcg", {{"tolerance", 1e-8}});
    settings["norm"] = Settings::of(std::string("euclidean"));
    settings["preconditioner"] = preconditioner;
    VecX x = VecX::Zero(3 * SpringSheet::count);

    const SolveReport report = solve::make_linear_solver(settings)->solve(
        sheet.A, sheet.filter, testing::Random(3).field(SpringSheet::count), x);

    EXPECT_TRUE(report.ok()) << key << ": " << report.message;
    return report.iterations;
}

TEST(PreconditionerCounts, OfTheDiagonalOnesAreThoseOfTheReference) {
    const Sheet sheet;

    EXPECT_NEAR(iterations(sheet, "identity"), 134, 2);
    EXPECT_NEAR(iterations(sheet, "jacobi"), 92, 2);
    EXPECT_NEAR(iterations(sheet, "block_jacobi"), 66, 2);
}

/// M = w/(2-w) (D/w + L) D^-1 (D/w + L)' with D the diagonal, or the diagonal blocks, of a dense matrix.
struct DenseSsor {
    DenseSsor(const Eigen::MatrixXd& A, Eigen::Index block, double omega)
        : lower(Eigen::MatrixXd::Zero(A.rows(), A.rows())), D(lower), factor((2 - omega) / omega) {
        for (Eigen::Index i = 0; i < A.rows(); ++i)
            for (Eigen::Index j = 0; j < A.rows(); ++j) {
                if (i / block == j / block) D(i, j) = A(i, j);
                if (i / block > j / block) lower(i, j) = A(i, j);
            }
        lower += D / omega;
    }
    Eigen::MatrixXd matrix() const {
        return lower * D.partialPivLu().solve(lower.transpose()) / factor;
    }
    Eigen::MatrixXd lower, D;
    double factor;
};

/// Iterations of conjugate gradients with a dense preconditioner, to |r| <= 1e-8 |b|.
int dense_iterations(const Eigen::MatrixXd& A, const Eigen::MatrixXd& M, const VecX& b) {
    const Eigen::PartialPivLU<Eigen::MatrixXd> factors(M);
    VecX r = b, p;
    double rho = 0;
    int count = 0;
    for (; r.norm() > 1e-8 * b.norm() && count < 2000; ++count) {
        const VecX z = factors.solve(r);
        const double before = rho;
        rho = r.dot(z);
        p = count == 0 ? z : VecX(z + rho / before * p);
        const VecX q = A * p;
        r -= rho / p.dot(q) * q;
    }
    return count;
}

/// The largest over the smallest eigenvalue of M^-1 A.
double condition(const Eigen::MatrixXd& A, const Eigen::MatrixXd& M) {
    const VecX values =
        Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(A, M, Eigen::EigenvaluesOnly)
            .eigenvalues();
    return values.maxCoeff() / values.minCoeff();
}

TEST(PreconditionerCounts, OfSsorByScalarsAreThoseOfTheReferenceAndByBlocksOurs) {
    // The reference sweeps over the 237 unknowns one by one, our `ssor` over the vertices, D their 3 x 3
    // blocks: more of A is in M, so fewer iterations. Both forms here with dense matrices.
    const Sheet sheet;
    const Eigen::MatrixXd A = sheet.free_matrix();
    const VecX b = testing::Random(3).field(79);

    EXPECT_NEAR(dense_iterations(A, DenseSsor(A, 1, 1).matrix(), b), 37, 2);
    EXPECT_NEAR(dense_iterations(A, DenseSsor(A, 1, 1.2).matrix(), b), 36, 2);
    EXPECT_NEAR(dense_iterations(A, DenseSsor(A, 3, 1).matrix(), b), iterations(sheet, "ssor", 1),
                1);
    EXPECT_NEAR(condition(A, DenseSsor(A, 1, 1).matrix()), 29.1, 0.1);
    EXPECT_LT(condition(A, DenseSsor(A, 3, 1).matrix()), 28);
    EXPECT_NEAR(condition(A, Eigen::MatrixXd::Identity(237, 237)), 238.8, 0.1);
    EXPECT_NEAR(condition(A, Eigen::MatrixXd(A.diagonal().asDiagonal())), 291.8, 0.1);
}

TEST(PreconditionerCounts, OfSsorAsPrintedAreWorseThanNone) {
    // (D + L) D (D + L)' lost the inverse of D.
    const Sheet sheet;
    const Eigen::MatrixXd A = sheet.free_matrix();
    const DenseSsor right(A, 1, 1);
    const Eigen::MatrixXd printed = right.lower * right.D * right.lower.transpose();

    EXPECT_NEAR(condition(A, printed), 3.97e5, 0.01e5);
    EXPECT_NEAR(dense_iterations(A, printed, testing::Random(3).field(79)), 834, 60);
    // M = A + L D^-1 L', and four times A makes four times M, of the printed one 64 times
    const Eigen::MatrixXd L = right.lower - right.D;
    EXPECT_LE((right.matrix() - A - L * right.D.inverse() * L.transpose()).norm(), 1e-13);
    const DenseSsor scaled(4 * A, 1, 1);
    EXPECT_NEAR(scaled.matrix()(0, 0) / right.matrix()(0, 0), 4, 1e-12);
    EXPECT_NEAR((scaled.lower * scaled.D * scaled.lower.transpose())(0, 0) / printed(0, 0), 64,
                1e-10);
}

TEST(PreconditionerCounts, OfTheFactorsAreThoseOfTheirBlockForms) {
    // By scalars SSOR takes 37, see above, and IC(0) 15. Ours eliminate vertices: D holds the 3 x 3 blocks,
    // for which SSOR takes 29 in the order of the numbers, and IC(0) about what it takes by scalars.
    const Sheet sheet;

    EXPECT_NEAR(iterations(sheet, "ssor", 1), 29, 2);
    EXPECT_LE(iterations(sheet, "ssor", 1.2), 37);
    EXPECT_NEAR(iterations(sheet, "ic0"), 15, 2);
}

}  // namespace
}  // namespace taffeta::sim

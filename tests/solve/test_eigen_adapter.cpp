#include <gtest/gtest.h>

#include <Eigen/IterativeLinearSolvers>
#include <limits>
#include <string>

#include "solve/foreign_systems.h"
#include "solve/solve_helpers.h"
#include "taffeta/solve/eigen_adapter.h"

namespace taffeta {
namespace {

using testing::eigen_matrix;
using testing::elastic_sheet;
using testing::Random;
using Sparse = Eigen::SparseMatrix<double>;
template <class Preconditioner>
using EigenCg = Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper, Preconditioner>;

/// A symmetric positive definite matrix of any size: a chain with one far coupling.
Sparse chain(Eigen::Index rows) {
    Eigen::MatrixXd A = 2.5 * Eigen::MatrixXd::Identity(rows, rows);
    for (Eigen::Index i = 0; i + 1 < rows; ++i)
        A(i, i + 1) = A(i + 1, i) = -1;
    if (rows > 4) A(0, rows - 1) = A(rows - 1, 0) = 0.25;
    return A.sparseView();
}

VecX values(Eigen::Index rows) {
    Random random(4);
    return VecX::NullaryExpr(rows, [&](Eigen::Index) { return random.uniform(); });
}

TEST(EigenPreconditioner, SavesMostIterationsOfEigensConjugateGradients) {
    const Index columns = 50, rows = 40;
    const Sparse A = eigen_matrix(elastic_sheet(columns, rows, 1e4));
    const VecX b = values(A.rows());
    EigenCg<SmoothedAggregation> multigrid;
    EigenCg<Eigen::DiagonalPreconditioner<double>> diagonal;
    multigrid.preconditioner().set_coordinates(testing::sheet_coordinates(columns, rows));
    multigrid.setTolerance(1e-8);
    diagonal.setTolerance(1e-8);

    const VecX x = multigrid.compute(A).solve(b);
    const VecX y = diagonal.compute(A).solve(b);

    ASSERT_EQ(multigrid.info(), Eigen::Success) << multigrid.preconditioner().message();
    ASSERT_EQ(diagonal.info(), Eigen::Success);
    EXPECT_LT((A * x - b).norm(), 1e-7 * b.norm());
    EXPECT_LT((x - y).norm(), 1e-5 * y.norm());
    EXPECT_LT(5 * multigrid.iterations(), diagonal.iterations());
    EXPECT_NE(multigrid.preconditioner().description().find("operator complexity"),
              std::string::npos);
}

TEST(EigenPreconditioner, IsSymmetricToSinglePrecisionAndIgnoresThePadding) {
    for (const Eigen::Index rows : {300, 301, 302}) {
        const Sparse A = chain(rows);
        SmoothedAggregation M;
        M.set_options("coarsest=8");
        ASSERT_EQ(M.compute(A).info(), Eigen::Success) << M.message();
        EXPECT_EQ(M.rows(), rows);
        EXPECT_EQ(M.cols(), rows);
        const VecX r = values(rows), s = VecX::LinSpaced(rows, -1, 2);

        const VecX Mr = M.solve(r), Ms = M.solve(s);

        ASSERT_EQ(Mr.size(), rows);
        EXPECT_NEAR(s.dot(Mr), r.dot(Ms), 1e-5 * Mr.norm() * s.norm());
        // Near A^-1, so that one step of Richardson's iteration halves a residual.
        EXPECT_LT((r - A * Mr).norm(), 0.5 * r.norm());
    }
}

TEST(EigenPreconditioner, KeepsItsHierarchyForTheSamePattern) {
    const Sparse A = eigen_matrix(elastic_sheet(20, 18, 1e3)), same = 1.2 * A;
    EigenCg<SmoothedAggregation> cg;
    const VecX b = values(A.rows());
    for (const Sparse* matrix : {&A, &same, &A})
        ASSERT_LT((*matrix * cg.compute(*matrix).solve(b) - b).norm(), 1e-6 * b.norm());
    EXPECT_EQ(cg.preconditioner().setup_counts().built, 1);
    EXPECT_EQ(cg.preconditioner().setup_counts().kept, 2);

    cg.compute(eigen_matrix(elastic_sheet(21, 18, 1e3)));
    EXPECT_EQ(cg.preconditioner().setup_counts().built, 2);
}

TEST(EigenPreconditioner, MakesCoarseLevelsAnewWhenTheOldOnesCostIterations) {
    EigenCg<SmoothedAggregation> cg;
    cg.setTolerance(1e-8);
    const Sparse soft = eigen_matrix(elastic_sheet(20, 18, 1));
    const Sparse stiff = eigen_matrix(elastic_sheet(20, 18, 1e5));
    const VecX b = values(soft.rows());
    cg.compute(soft).solve(b).eval();
    cg.compute(stiff).solve(b).eval();
    const Eigen::Index with_old_levels = cg.iterations();

    cg.compute(stiff).solve(b).eval();

    EXPECT_EQ(cg.preconditioner().setup_counts().refreshed, 1);
    EXPECT_LT(cg.iterations(), with_old_levels);
}

TEST(EigenPreconditioner, TellsWhatIsWrongWithAMatrix) {
    SmoothedAggregation M;
    EXPECT_EQ(M.info(), Eigen::InvalidInput);
    EXPECT_NE(M.message().find("no matrix yet"), std::string::npos);

    Sparse A = chain(9);
    A.coeffRef(4, 4) = -2;
    A.coeffRef(3, 3) = A.coeffRef(5, 5) = -2;
    EXPECT_EQ(M.compute(A).info(), Eigen::NumericalIssue);
    EXPECT_NE(M.message().find("vertex 1"), std::string::npos) << M.message();
    const VecX r = values(9);
    EXPECT_EQ(VecX(M.solve(r)), r);  // the identity

    A = chain(9);
    A.coeffRef(2, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(M.compute(A).info(), Eigen::NumericalIssue);
    EXPECT_NE(M.message().find("A(2, 1) = nan"), std::string::npos) << M.message();

    M.set_coordinates(VecX::Zero(6));
    EXPECT_EQ(M.compute(chain(9)).info(), Eigen::InvalidInput);
    EXPECT_NE(M.message().find("6 coordinates"), std::string::npos) << M.message();
    EXPECT_EQ(M.compute(chain(8)).info(), Eigen::InvalidInput);

    M.set_coordinates(VecX());
    EXPECT_EQ(M.compute(chain(9)).info(), Eigen::Success) << M.message();
    EXPECT_EQ(M.message(), "");
    EXPECT_THROW(M.solve(values(8)).eval(), Error);
    EXPECT_THROW(M.set_options("agregate_size=8"), Error);
}

TEST(SparseSolver, AgreesWithADenseSolveForEverySizeAndStorage) {
    for (const Eigen::Index rows : {1, 2, 3, 4, 7, 30, 31}) {
        const Sparse A = chain(rows);
        const VecX b = values(rows);
        const VecX exact = oracle::solve_dense(A, b);
        const Sparse lower = A.triangularView<Eigen::Lower>();
        const Eigen::SparseMatrix<double, Eigen::RowMajor> upper = A.triangularView<Eigen::Upper>();
        Sparse loose = A;
        loose.uncompress();
        const auto check = [&](const auto& matrix, const char* what) {
            SparseSolver solver(matrix);
            solver.setTolerance(1e-12);
            const VecX x = solver.solve(b);
            EXPECT_EQ(solver.info(), Eigen::Success) << solver.message();
            EXPECT_LT((x - exact).norm(), 1e-10 * exact.norm()) << what << " " << rows;
        };
        check(A, "both halves");
        check(lower, "lower half");
        check(upper, "upper half by rows");
        check(loose, "not compressed");
    }
}

TEST(SparseSolver, IterationsAndErrorAreThoseOfEigen) {
    const Sparse A = eigen_matrix(elastic_sheet(15, 14, 1e2));
    const VecX b = values(A.rows());
    EigenCg<Eigen::IdentityPreconditioner> eigen;
    SparseSolver solver;
    solver.set_options("preconditioner=identity");
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        eigen.setTolerance(tolerance);
        solver.setTolerance(tolerance);
        eigen.compute(A);
        solver.compute(A);
        EXPECT_EQ(solver.iterations(), 0);

        const VecX x = eigen.solve(b), y = solver.solve(b);

        ASSERT_EQ(solver.info(), Eigen::Success);
        EXPECT_EQ(solver.tolerance(), tolerance);
        // Eigen's counter does not count the iteration that converges.
        EXPECT_NEAR(double(solver.iterations()), double(eigen.iterations() + 1), 1) << tolerance;
        EXPECT_NEAR(solver.error(), (A * y - b).norm() / b.norm(), 1e-3 * solver.error() + 1e-15);
        EXPECT_LT(solver.error(), tolerance);
        EXPECT_LT((x - y).norm(), 100 * tolerance * x.norm());
    }
}

TEST(SparseSolver, SolvesColumnsAndTakesGuesses) {
    const Sparse A = chain(40);
    Eigen::MatrixXd b(40, 3);
    b << values(40), VecX::Ones(40), VecX::Zero(40);
    SparseSolver solver(A);
    solver.setTolerance(1e-11);

    const Eigen::MatrixXd x = solver.solve(b);

    EXPECT_EQ(solver.info(), Eigen::Success);
    EXPECT_LT((A * x - b).norm(), 1e-10 * b.norm());
    const Eigen::Index most = solver.iterations();
    EXPECT_GT(most, 1);
    solver.solve(b.col(2));
    EXPECT_EQ(solver.iterations(), 0);
    EXPECT_EQ(solver.error(), 0);

    solver.setTolerance(1e-9);
    solver.solveWithGuess(b.col(0), x.col(0));
    EXPECT_EQ(solver.iterations(), 0);
    solver.solveWithGuess(b.col(0), -x.col(0));
    EXPECT_GT(solver.iterations(), 1);
}

TEST(SparseSolver, ReportsFailuresAsEigenDoes) {
    const Sparse A = eigen_matrix(elastic_sheet(15, 14, 1e2));
    const VecX b = values(A.rows());
    SparseSolver solver;
    solver.set_options("preconditioner=identity max_iterations=4 tolerance=1e-7");
    EXPECT_EQ(solver.tolerance(), 1e-7);
    solver.compute(A).solve(b);
    EXPECT_EQ(solver.info(), Eigen::NoConvergence);
    EXPECT_EQ(solver.iterations(), 4);
    EXPECT_GT(solver.error(), 1e-7);
    EXPECT_NE(solver.message().find("after 4 iterations"), std::string::npos);

    solver.set_options("");
    EXPECT_LT((A * solver.solve(b) - b).norm(), 1e-7 * b.norm());  // what was computed stays
    EXPECT_EQ(solver.info(), Eigen::Success);
    solver.compute(Sparse(-A)).solve(b);
    EXPECT_EQ(solver.info(), Eigen::NumericalIssue);
    EXPECT_NE(solver.message(), "");
}

TEST(SparseSolver, RefusesWhatIsNoSymmetricMatrixAndWrongCalls) {
    SparseSolver solver;
    const VecX b = values(9);
    EXPECT_EQ(solver.info(), Eigen::InvalidInput);
    EXPECT_THROW(solver.solve(b), Error);

    EXPECT_EQ(solver.compute(Sparse(9, 6)).info(), Eigen::InvalidInput);
    EXPECT_NE(solver.message().find("9 x 6"), std::string::npos) << solver.message();
    Sparse A = chain(9);
    A.coeffRef(0, 5) = 1;  // block (0, 1) is there anyway
    A.coeffRef(8, 0) = 0.25;
    EXPECT_EQ(solver.compute(A).info(), Eigen::Success);
    A = chain(18);
    A.coeffRef(0, 9) = 1;
    EXPECT_EQ(solver.compute(A).info(), Eigen::InvalidInput);
    EXPECT_NE(solver.message().find("block (0, 3)"), std::string::npos) << solver.message();
    EXPECT_THROW(solver.solve(values(18)), Error);
    A = Sparse(9, 9);
    EXPECT_EQ(solver.compute(A).info(), Eigen::InvalidInput);
    EXPECT_NE(solver.message().find("no diagonal"), std::string::npos) << solver.message();
    A = chain(9);
    A.coeffRef(2, 2) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(solver.compute(A).info(), Eigen::NumericalIssue);

    solver.compute(chain(9));
    EXPECT_THROW(solver.solve(values(8)), Error);
    EXPECT_THROW(solver.solveWithGuess(b, values(8)), Error);
    EXPECT_THROW(solver.solveWithGuess(b, Eigen::MatrixXd::Zero(9, 2)), Error);
    EXPECT_THROW(solver.setTolerance(0), Error);
    EXPECT_THROW(solver.set_options("tolerence=1"), Error);
    EXPECT_THROW(solver.set_constraints(sparse::NodeFilter(2)), Error);
    solver.set_coordinates(VecX::Zero(6));
    EXPECT_THROW(solver.solve(b), Error);
    solver.set_coordinates(VecX());
    EXPECT_LT((chain(9) * solver.solve(b) - b).norm(), 1e-7 * b.norm());
}

TEST(SparseSolver, AnUnsymmetricMatrixIsNeverTakenForItsTranspose) {
    Sparse A = chain(9);
    A.coeffRef(1, 0) = 0.5;  // and A(0, 1) = -1
    const VecX b = values(9);
    SparseSolver solver(A);

    const VecX x = solver.solve(b);

    if (solver.info() == Eigen::Success) {
        EXPECT_LT((A * x - b).norm(), 1e-7 * b.norm());
    } else {
        EXPECT_NE(solver.message().find("not symmetric"), std::string::npos) << solver.message();
    }
    EXPECT_NEAR(solver.error(), (A * x - b).norm() / b.norm(), 1e-9);
}

TEST(SparseSolver, KeepsConstraints) {
    const sparse::Matrix3 blocks = elastic_sheet(6, 5, 10);
    const sparse::NodeFilter filter = testing::mixed_filter(blocks.rows(), 3);
    const VecX b = Random(1).field(blocks.rows());
    const VecX exact = testing::kkt_solution(blocks, filter, b);
    SparseSolver solver(eigen_matrix(blocks));
    solver.setTolerance(1e-12).set_constraints(filter);

    const VecX x = solver.solve(b);

    EXPECT_EQ(solver.info(), Eigen::Success) << solver.message();
    EXPECT_LT((x - exact).norm(), 1e-9 * exact.norm());
    EXPECT_LT(solver.error(), 1e-11);
}

TEST(SparseSolver, UsesOptionsCoordinatesAndTheOldHierarchy) {
    const sparse::Matrix3 blocks = elastic_sheet(20, 18, 1e4);
    const Sparse A = eigen_matrix(blocks);
    const VecX b = values(A.rows());
    SparseSolver solver;
    solver.set_options("preconditioner=sa preconditioner.coarsest=10");
    solver.set_coordinates(testing::sheet_coordinates(20, 18));
    solver.compute(A).solve(b);
    EXPECT_EQ(solver.info(), Eigen::Success) << solver.message();
    solver.compute(Sparse(1.1 * A)).solve(b);
    EXPECT_EQ(solver.setup_counts().built, 1);
    EXPECT_EQ(solver.setup_counts().kept, 1);
    EXPECT_NE(solver.description().find("operator complexity"), std::string::npos);

    SparseSolver direct;
    direct.set_options("type=ldlt");
    const VecX x = direct.compute(A).solve(b);
    EXPECT_EQ(direct.info(), Eigen::Success) << direct.message();
    EXPECT_LT((A * x - b).norm(), 1e-9 * b.norm());
    EXPECT_LT(direct.error(), 1e-9);

    SparseSolver moved = std::move(direct);
    EXPECT_EQ(moved.rows(), A.rows());
    EXPECT_EQ(moved.solve(b), x);
}

TEST(SparseSolver, TakesAMatrixWithoutRows) {
    SparseSolver solver;
    EXPECT_EQ(solver.compute(Sparse(0, 0)).info(), Eigen::Success) << solver.message();
    EXPECT_EQ(solver.solve(VecX(0)).size(), 0);
    SmoothedAggregation M;
    EXPECT_EQ(M.compute(Sparse(0, 0)).info(), Eigen::Success) << M.message();
    EXPECT_EQ(VecX(M.solve(VecX(0))).size(), 0);
}

}  // namespace
}  // namespace taffeta

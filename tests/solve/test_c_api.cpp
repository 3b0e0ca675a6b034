#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "solve/foreign_systems.h"
#include "solve/solve_helpers.h"
#include "taffeta/base/parallel.h"
#include "taffeta/solve/capi/taffeta_solve.h"

/// The C interface against dense algebra; what it says about misuse is in test_c_api_misuse.cpp.
namespace taffeta {
namespace {

using testing::block_arrays;
using testing::CompressedArrays;
using testing::elastic_sheet;
using testing::Random;
using testing::scalar_arrays;

/// A handle of the C interface that is freed.
class CSolver {
  public:
    explicit CSolver(const char* options = "tolerance=1e-12") : handle_(taffeta_solver_create()) {
        EXPECT_EQ(taffeta_solver_set_options(handle_, options), TAFFETA_CONVERGED) << message();
    }
    ~CSolver() { taffeta_solver_destroy(handle_); }
    CSolver(const CSolver&) = delete;
    CSolver& operator=(const CSolver&) = delete;

    operator taffeta_solver*() const { return handle_; }
    std::string message() const { return taffeta_solver_message(handle_); }

    void set_blocks(const sparse::Matrix3& A, bool row_major = true) {
        const CompressedArrays arrays = block_arrays(A, row_major);
        ASSERT_EQ(taffeta_solver_set_matrix_bsr(
                      handle_, A.rows(), arrays.row_begin.data(), arrays.column.data(),
                      arrays.value.data(), row_major ? TAFFETA_ROW_MAJOR : TAFFETA_COLUMN_MAJOR),
                  TAFFETA_CONVERGED)
            << message();
    }
    void set_scalars(const sparse::Matrix3& A) {
        const CompressedArrays arrays = scalar_arrays(A);
        ASSERT_EQ(taffeta_solver_set_matrix_csr(handle_, 3 * A.rows(), arrays.row_begin.data(),
                                                arrays.column.data(), arrays.value.data()),
                  TAFFETA_CONVERGED)
            << message();
    }
    VecX solve(const VecX& b) {
        VecX x = VecX::Zero(b.size());
        EXPECT_EQ(taffeta_solver_solve(handle_, b.data(), x.data()), TAFFETA_CONVERGED)
            << message();
        EXPECT_EQ(message(), "");
        return x;
    }
    taffeta_statistics statistics() const {
        taffeta_statistics all;
        EXPECT_EQ(taffeta_solver_statistics(handle_, &all), TAFFETA_CONVERGED);
        return all;
    }

  private:
    taffeta_solver* handle_;
};

/// Blocks that are not symmetric themselves, so that a wrong order of their numbers shows.
sparse::Matrix3 skewed_matrix() {
    sparse::Matrix3 A = testing::grid_matrix(6, 5, 3, 1, 7);
    Random random(5);
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.pattern().diagonal[std::size_t(i)] + 1;
             s < A.pattern().row_begin[std::size_t(i) + 1]; ++s) {
            Mat3 extra;
            for (int k = 0; k < 9; ++k)
                extra(k / 3, k % 3) = 0.1 * random.uniform();
            A.block(s) += extra;
            A.block(A.pattern().slot(A.pattern().column[std::size_t(s)], i)) += extra.transpose();
            A.block(A.pattern().diagonal[std::size_t(i)]) += 0.3 * Mat3::Identity();
            const Index j = A.pattern().column[std::size_t(s)];
            A.block(A.pattern().diagonal[std::size_t(j)]) += 0.3 * Mat3::Identity();
        }
    return A;
}

TEST(CApi, AgreesWithADenseSolveInEveryLayout) {
    const sparse::Matrix3 A = skewed_matrix();
    const VecX b = Random(2).field(A.rows());
    const VecX exact = oracle::solve_dense(testing::dense(A), b);
    CSolver rows, columns, scalars;

    rows.set_blocks(A, true);
    columns.set_blocks(A, false);
    scalars.set_scalars(A);

    const VecX x = rows.solve(b);
    EXPECT_LT((x - exact).norm(), 1e-9 * exact.norm());
    EXPECT_EQ(columns.solve(b), x);
    EXPECT_EQ(scalars.solve(b), x);
}

TEST(CApi, EverySolverAgreesWithADenseSolve) {
    const sparse::Matrix3 A = skewed_matrix();
    const VecX b = Random(2).field(A.rows());
    const VecX exact = oracle::solve_dense(testing::dense(A), b);
    for (const char* options : {"type=ldlt", "type=pcg tolerance=1e-12",
                                "tolerance=1e-12 preconditioner=sa preconditioner.coarsest=4"}) {
        CSolver solver(options);
        solver.set_blocks(A);
        EXPECT_LT((solver.solve(b) - exact).norm(), 1e-9 * exact.norm()) << options;
    }
}

TEST(CApi, TheBitsDoNotDependOnTheThreads) {
    const sparse::Matrix3 A = elastic_sheet(70, 60, 1e3);
    const VecX b = Random(1).field(A.rows());
    const int before = taffeta_thread_count();
    std::vector<VecX> found;
    for (const int threads : {1, 3}) {
        ASSERT_EQ(taffeta_set_thread_count(threads), TAFFETA_CONVERGED);
        EXPECT_EQ(taffeta_thread_count(), threads);
        CSolver solver("preconditioner=sa");
        solver.set_scalars(A);
        found.push_back(solver.solve(b));
    }
    EXPECT_EQ(found[0], found[1]);
    taffeta_set_thread_count(before);
}

/// One, two and three forbidden directions, and the same as a filter.
struct Constrained {
    std::vector<taffeta_constraint> list;
    sparse::NodeFilter filter;

    explicit Constrained(Index vertices) : filter(vertices) {
        Random random(9);
        for (Index v = 0; v < vertices; v += 4) {
            taffeta_constraint constraint{};
            constraint.vertex = v;
            constraint.forbidden = 1 + v / 4 % 3;
            const Vec3 target = random.vector();
            std::copy_n(target.data(), 3, constraint.target);
            if (constraint.forbidden == 3) filter.fix(v);
            for (int d = 0; d < 2 && constraint.forbidden < 3; ++d) {
                const Vec3 direction = random.direction();
                std::copy_n(direction.data(), 3, constraint.direction[d]);
                if (d < constraint.forbidden) filter.forbid(v, direction);
            }
            filter.set_target(v, target);
            list.push_back(constraint);
        }
    }
};

TEST(CApi, KeepsConstraintsWithTargetsAndAgreesWithLagrangeMultipliers) {
    const sparse::Matrix3 A = skewed_matrix();
    const Constrained constraints(A.rows());
    const VecX b = Random(3).field(A.rows());
    const VecX exact = testing::kkt_solution(A, constraints.filter, b);
    for (const char* options : {"tolerance=1e-12", "type=ldlt"}) {
        CSolver solver(options);
        solver.set_scalars(A);
        ASSERT_EQ(taffeta_solver_set_constraints(solver, int32_t(constraints.list.size()),
                                                 constraints.list.data()),
                  TAFFETA_CONVERGED)
            << solver.message();

        const VecX x = solver.solve(b);

        EXPECT_LT((x - exact).norm(), 1e-9 * exact.norm()) << options;
        for (const taffeta_constraint& constraint : constraints.list)
            for (int d = 0; d < constraint.forbidden; ++d) {
                const Vec3 direction =
                    constraint.forbidden == 3 ? Vec3(Vec3::Unit(d)) : Vec3(constraint.direction[d]);
                EXPECT_NEAR(direction.dot(vec3(x, constraint.vertex)),
                            direction.dot(Vec3(constraint.target)), 1e-12)
                    << "vertex " << constraint.vertex;
            }
        EXPECT_EQ(solver.statistics().constrained, int(constraints.list.size()));

        // Without them it is the free solution again.
        ASSERT_EQ(taffeta_solver_set_constraints(solver, 0, nullptr), TAFFETA_CONVERGED);
        const VecX free = oracle::solve_dense(testing::dense(A), b);
        EXPECT_LT((solver.solve(b) - free).norm(), 1e-9 * free.norm()) << options;
    }
}

TEST(CApi, UpdatedValuesKeepTheHierarchyAndANewMatrixDoesNot) {
    const sparse::Matrix3 A = elastic_sheet(24, 22, 1e3), other = elastic_sheet(24, 22, 1.1e3);
    const VecX b = Random(1).field(A.rows());
    CSolver blocks("preconditioner=sa tolerance=1e-10"),
        scalars("preconditioner=sa tolerance=1e-10");
    blocks.set_blocks(A);
    scalars.set_scalars(A);
    blocks.solve(b);
    scalars.solve(b);
    const taffeta_statistics first = blocks.statistics();
    EXPECT_EQ(first.hierarchies_built, 1);
    EXPECT_EQ(first.hierarchies_kept + first.hierarchies_updated, 0);

    ASSERT_EQ(taffeta_solver_update_values(blocks, block_arrays(other, true).value.data()),
              TAFFETA_CONVERGED);
    ASSERT_EQ(taffeta_solver_update_values(scalars, scalar_arrays(other).value.data()),
              TAFFETA_CONVERGED);
    const VecX x = blocks.solve(b);

    const VecX exact = oracle::solve_dense(testing::dense(other), b);
    EXPECT_LT((x - exact).norm(), 1e-7 * exact.norm());
    EXPECT_EQ(scalars.solve(b), x);
    const taffeta_statistics second = blocks.statistics();
    EXPECT_EQ(second.hierarchies_built, 1);
    EXPECT_EQ(second.hierarchies_kept, 1);

    // The pattern may change with set_matrix, so nothing can be kept.
    blocks.set_blocks(other);
    blocks.solve(b);
    EXPECT_EQ(blocks.statistics().hierarchies_built, 2);

    // And a solver that forgets builds anew.
    ASSERT_EQ(taffeta_solver_reset(scalars), TAFFETA_CONVERGED);
    scalars.solve(b);
    EXPECT_EQ(scalars.statistics().hierarchies_built, 2);
}

TEST(CApi, CoordinatesMakeABetterHierarchy) {
    const Index columns = 60, rows = 50;
    const sparse::Matrix3 A = elastic_sheet(columns, rows, 1e6);
    const VecX b = Random(1).field(A.rows()), nodes = testing::sheet_coordinates(columns, rows);
    CSolver solver("preconditioner=sa");
    solver.set_blocks(A);
    solver.solve(b);
    const int without = solver.statistics().iterations;

    ASSERT_EQ(taffeta_solver_set_coordinates(solver, A.rows(), nodes.data()), TAFFETA_CONVERGED);
    taffeta_solver_reset(solver);
    solver.solve(b);
    const int with = solver.statistics().iterations;
    ASSERT_EQ(taffeta_solver_set_coordinates(solver, 0, nullptr), TAFFETA_CONVERGED);
    taffeta_solver_reset(solver);
    solver.solve(b);

    EXPECT_LT(with, without);
    EXPECT_EQ(solver.statistics().iterations, without);
}

TEST(CApi, CoordinatesOfAMatrixOfAnotherSizeAreForgotten) {
    const sparse::Matrix3 small = elastic_sheet(20, 15, 1e6), large = elastic_sheet(60, 50, 1e6);
    const VecX b = Random(1).field(large.rows()), nodes = testing::sheet_coordinates(20, 15);
    CSolver fresh("preconditioner=sa"), solver("preconditioner=sa");
    fresh.set_blocks(large);
    solver.set_blocks(small);
    ASSERT_EQ(taffeta_solver_set_coordinates(solver, small.rows(), nodes.data()),
              TAFFETA_CONVERGED);

    solver.set_blocks(large);

    EXPECT_EQ(solver.solve(b), fresh.solve(b));
}

TEST(CApi, StatisticsTellWhatHappened) {
    const sparse::Matrix3 A = elastic_sheet(24, 22, 1e3);
    const VecX b = Random(1).field(A.rows());
    CSolver solver("preconditioner=sa tolerance=1e-6");
    solver.set_blocks(A);
    const taffeta_statistics before = solver.statistics();
    EXPECT_EQ(before.iterations, 0);
    EXPECT_STREQ(before.levels, "");

    solver.solve(b);

    const taffeta_statistics after = solver.statistics();
    EXPECT_EQ(after.status, TAFFETA_CONVERGED);
    EXPECT_GT(after.iterations, 1);
    EXPECT_GT(after.residual, 0);
    EXPECT_LT(after.residual, 1e-6);
    EXPECT_GT(after.setup_s, 0);
    EXPECT_GT(after.solve_s, 0);
    EXPECT_GT(after.bytes, uint64_t(A.pattern().blocks()) * 9 * sizeof(float));
    EXPECT_EQ(after.vertices, A.rows());
    const std::string table = after.levels;
    EXPECT_NE(table.find("operator complexity"), std::string::npos) << table;
    EXPECT_NE(table.find(std::to_string(A.rows())), std::string::npos) << table;
}

TEST(CApi, AGoodGuessSavesIterationsAndATighterToleranceCostsSome) {
    const sparse::Matrix3 A = elastic_sheet(12, 12, 1e3);
    const VecX b = Random(1).field(A.rows());
    const VecX exact = oracle::solve_dense(testing::dense(A), b);
    CSolver solver("preconditioner=block_jacobi tolerance=1e-4");
    solver.set_blocks(A);
    solver.solve(b);
    const int loose = solver.statistics().iterations;

    VecX guess = exact;
    ASSERT_EQ(taffeta_solver_solve(solver, b.data(), guess.data()), TAFFETA_CONVERGED);
    EXPECT_EQ(solver.statistics().iterations, 0);
    ASSERT_EQ(taffeta_solver_set_tolerance(solver, 1e-10), TAFFETA_CONVERGED);
    solver.solve(b);
    EXPECT_GT(solver.statistics().iterations, loose);
    const int tight = solver.statistics().iterations;
    ASSERT_EQ(taffeta_solver_set_options(solver, "preconditioner=block_jacobi tolerance=1e-4"),
              TAFFETA_CONVERGED);
    solver.solve(b);
    EXPECT_EQ(solver.statistics().iterations, tight);  // stays in force
    ASSERT_EQ(taffeta_solver_set_tolerance(solver, 0), TAFFETA_CONVERGED);
    solver.solve(b);
    EXPECT_EQ(solver.statistics().iterations, loose);
}

TEST(CApi, NumericalFailuresAreStatusesWithTheBestIterate) {
    const sparse::Matrix3 A = elastic_sheet(12, 12, 1e3);
    const VecX b = Random(1).field(A.rows());
    CSolver solver("preconditioner=identity max_iterations=3");
    solver.set_blocks(A);
    VecX x = VecX::Zero(b.size());

    EXPECT_EQ(taffeta_solver_solve(solver, b.data(), x.data()), TAFFETA_MAX_ITERATIONS);

    EXPECT_NE(solver.message().find("after 3 iterations"), std::string::npos) << solver.message();
    const Eigen::MatrixXd full = testing::dense(A);
    const VecX error = x - oracle::solve_dense(full, b), start = x - error;
    EXPECT_LT(error.dot(full * error), start.dot(full * start));
    EXPECT_EQ(solver.statistics().status, TAFFETA_MAX_ITERATIONS);

    std::vector<double> values = block_arrays(A, true).value;
    for (double& value : values)
        value = -value;
    ASSERT_EQ(taffeta_solver_update_values(solver, values.data()), TAFFETA_CONVERGED);
    EXPECT_EQ(taffeta_solver_solve(solver, b.data(), x.data()), TAFFETA_INDEFINITE);
    EXPECT_NE(solver.message(), "");
}

}  // namespace
}  // namespace taffeta

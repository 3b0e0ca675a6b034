#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "solve/foreign_systems.h"
#include "solve/solve_helpers.h"
#include "taffeta/solve/capi/taffeta_solve.h"
#include "taffeta/solve/eigen_adapter.h"

/// The statuses of test_statuses.cpp as programs outside see them: every solver through the C
/// interface and through the Eigen adapter. What belongs to one of the two doors alone is in
/// test_c_api_misuse.cpp and test_eigen_adapter.cpp.
namespace taffeta {
namespace {

using solve::SolverEntry;
using testing::block_arrays;
using testing::CompressedArrays;
using testing::Random;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// With its zeros: a block that is zero is still there.
Eigen::SparseMatrix<double> whole_matrix(const sparse::Matrix3& A) {
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < A.rows(); ++i)
        for (Index s = A.pattern().row_begin[std::size_t(i)];
             s < A.pattern().row_begin[std::size_t(i) + 1]; ++s)
            for (int k = 0; k < 9; ++k)
                entries.emplace_back(3 * i + k / 3, 3 * A.pattern().column[std::size_t(s)] + k % 3,
                                     A.block(s)(k / 3, k % 3));
    Eigen::SparseMatrix<double> matrix(3 * A.rows(), 3 * A.rows());
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
}

struct Outcome {
    bool success = false;
    bool right_status = false;  ///< that of the expected `SolveStatus`
    std::string message;
    int iterations = 0;
    VecX x;
};

/// One way into the library.
class Door {
  public:
    virtual ~Door() = default;
    /// Solves with guess `x`; vertices of `fixed` stay at `target`.
    virtual Outcome solve(const std::string& options, const sparse::Matrix3& A,
                          const std::vector<Index>& fixed, const VecX& target, const VecX& b,
                          const VecX& x, SolveStatus expected) = 0;
};

class CDoor final : public Door {
  public:
    Outcome solve(const std::string& options, const sparse::Matrix3& A,
                  const std::vector<Index>& fixed, const VecX& target, const VecX& b, const VecX& x,
                  SolveStatus expected) override {
        taffeta_solver* solver = taffeta_solver_create();
        Outcome outcome;
        outcome.x = x;
        std::vector<taffeta_constraint> constraints;
        for (const Index vertex : fixed) {
            taffeta_constraint& constraint = constraints.emplace_back();
            constraint = {vertex, 3, {}, {}};
            for (int k = 0; k < 3; ++k)
                constraint.target[k] = target[3 * vertex + k];
        }
        const CompressedArrays arrays = block_arrays(A, true);
        taffeta_status status = taffeta_solver_set_options(solver, options.c_str());
        if (status == TAFFETA_CONVERGED)
            status = taffeta_solver_set_matrix_bsr(solver, A.rows(), arrays.row_begin.data(),
                                                   arrays.column.data(), arrays.value.data(),
                                                   TAFFETA_ROW_MAJOR);
        if (status == TAFFETA_CONVERGED)
            status = taffeta_solver_set_constraints(solver, int32_t(constraints.size()),
                                                    constraints.data());
        if (status == TAFFETA_CONVERGED)
            status = taffeta_solver_solve(solver, b.data(), outcome.x.data());
        outcome.message = taffeta_solver_message(solver);
        outcome.success = status == TAFFETA_CONVERGED;
        outcome.right_status = int(status) == int(expected);
        taffeta_statistics statistics;
        taffeta_solver_statistics(solver, &statistics);
        outcome.iterations = statistics.iterations;
        taffeta_solver_destroy(solver);
        return outcome;
    }
};

class EigenDoor final : public Door {
  public:
    Outcome solve(const std::string& options, const sparse::Matrix3& A,
                  const std::vector<Index>& fixed, const VecX& target, const VecX& b, const VecX& x,
                  SolveStatus expected) override {
        SparseSolver solver;
        Outcome outcome;
        outcome.x = x;
        solver.set_options(options);
        solver.compute(whole_matrix(A));
        if (solver.info() == Eigen::Success) {
            sparse::NodeFilter filter(A.rows());
            for (const Index vertex : fixed) {
                filter.fix(vertex);
                filter.set_target(vertex, vec3(target, vertex));
            }
            solver.set_constraints(filter);
            outcome.x = solver.solveWithGuess(b, x);
        }
        outcome.message = solver.message();
        outcome.success = solver.info() == Eigen::Success;
        outcome.right_status = solver.info() == info_of(expected);
        outcome.iterations = int(solver.iterations());
        return outcome;
    }

  private:
    /// The table of docs/solver_library.md.
    static Eigen::ComputationInfo info_of(SolveStatus status) {
        switch (status) {
            case SolveStatus::converged:
                return Eigen::Success;
            case SolveStatus::max_iterations:
                return Eigen::NoConvergence;
            case SolveStatus::bad_filter:
            case SolveStatus::bad_size:
                return Eigen::InvalidInput;
            default:
                return Eigen::NumericalIssue;
        }
    }
};

class EverySolverFromOutside
    : public ::testing::TestWithParam<std::tuple<const SolverEntry*, std::string>> {
  protected:
    void SetUp() override {
        const solve::Unavailable lack = unavailable(entry());
        if (lack) GTEST_SKIP() << lack.why;
        if (std::get<1>(GetParam()) == "c")
            door_ = std::make_unique<CDoor>();
        else
            door_ = std::make_unique<EigenDoor>();
    }
    const SolverEntry& entry() const { return *std::get<0>(GetParam()); }
    bool direct() const { return entry().properties.direct; }
    bool constrained() const { return entry().properties.constrained; }

    Outcome solve(const sparse::Matrix3& A, const VecX& b, SolveStatus expected,
                  const std::string& options = {}) {
        return solve_fixed(A, {}, VecX::Zero(b.size()), b, VecX::Zero(b.size()), expected, options);
    }
    Outcome solve_fixed(const sparse::Matrix3& A, const std::vector<Index>& fixed,
                        const VecX& target, const VecX& b, const VecX& x, SolveStatus expected,
                        const std::string& options = {}) {
        return door_->solve("type=" + std::string(entry().key) + " " + options, A, fixed, target, b,
                            x, expected);
    }
    static void expect_failure(const Outcome& outcome, const std::string& part) {
        EXPECT_FALSE(outcome.success);
        EXPECT_TRUE(outcome.right_status) << outcome.message;
        EXPECT_NE(outcome.message.find(part), std::string::npos) << outcome.message;
    }

  private:
    std::unique_ptr<Door> door_;
};

TEST_P(EverySolverFromOutside, SaysWhereAMatrixIsIndefinite) {
    const sparse::Matrix3 A = testing::indefinite_matrix();

    const Outcome outcome = solve(A, Random(2).field(A.rows()), SolveStatus::indefinite);

    expect_failure(outcome, direct() ? "pivot" : "at iteration");
    EXPECT_TRUE(outcome.x.allFinite());
}

TEST_P(EverySolverFromOutside, NeverTakesAnAsymmetricMatrixForASymmetricOne) {
    sparse::Matrix3 A = testing::grid_matrix(6, 6, 100, 2, 1);
    Random random(8);
    for (Index s = 0; s < A.pattern().blocks(); ++s)
        for (int k = 0; k < 9; ++k)
            A.slot(s)[k] += 20 * random.uniform();
    const VecX b = random.field(A.rows());

    const Outcome outcome =
        solve(A, b, SolveStatus::indefinite, direct() ? "" : "max_iterations=500 tolerance=1e-5");

    if (direct()) {
        expect_failure(outcome, "not symmetric");
    } else if (outcome.success) {
        EXPECT_LE((b - testing::dense(A) * outcome.x).norm(), 1e-2 * b.norm());
    } else {
        EXPECT_NE(outcome.message, "");
    }
}

TEST_P(EverySolverFromOutside, NamesTheVertexOfASingularBlock) {
    const sparse::Matrix3 A = testing::matrix_with_empty_vertex(7);

    const Outcome outcome = solve(A, VecX::Ones(48), SolveStatus::singular);

    expect_failure(outcome, "vertex 7");
}

TEST_P(EverySolverFromOutside, NamesTheNumberThatIsNotFinite) {
    const sparse::Matrix3 good = testing::grid_matrix(4, 4, 10, 1, 1);
    for (const double bad : {not_a_number, HUGE_VAL, -HUGE_VAL}) {
        sparse::Matrix3 A = good;
        A.slot(A.pattern().slot(5, 6))[4] = bad;
        VecX b = VecX::Ones(48);

        EXPECT_TRUE(solve(A, b, SolveStatus::not_finite).right_status);

        b[20] = bad;
        const Outcome outcome = solve(good, b, SolveStatus::not_finite);
        expect_failure(outcome, "b[20]");
        EXPECT_EQ(outcome.x, VecX::Zero(48));
    }
}

TEST_P(EverySolverFromOutside, ZeroRightSideTakesNoIterationFromAnyGuess) {
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 10, 1, 1);
    const std::vector<Index> fixed =
        constrained() ? std::vector<Index>{0, 5} : std::vector<Index>{};
    const VecX zero = VecX::Zero(48);

    const Outcome outcome =
        solve_fixed(A, fixed, zero, zero, Random(1).field(16), SolveStatus::converged);

    EXPECT_TRUE(outcome.success) << outcome.message;
    EXPECT_EQ(outcome.iterations, 0);
    EXPECT_EQ(outcome.x, zero);
}

TEST_P(EverySolverFromOutside, OneVertexIsSolved) {
    sparse::Matrix3 A(sparse::make_pattern(1, {}));
    A.block(0) << 4, 1, 0, 1, 3, 1, 0, 1, 2;

    const Outcome outcome =
        solve(A, Vec3(1, 2, 3), SolveStatus::converged, direct() ? "" : "tolerance=1e-10");

    EXPECT_TRUE(outcome.success) << outcome.message;
    EXPECT_LE((A.block(0) * outcome.x - Vec3(1, 2, 3)).norm(), 1e-8);
}

TEST_P(EverySolverFromOutside, FullyConstrainedSystemsGiveTheTargets) {
    const sparse::Matrix3 A = testing::grid_matrix(2, 2, 1, 0, 1);
    const VecX target = Random(3).field(4), b = Random(4).field(4);

    const Outcome outcome =
        solve_fixed(A, {0, 1, 2, 3}, target, b, VecX::Zero(12),
                    constrained() ? SolveStatus::converged : SolveStatus::bad_filter);

    EXPECT_TRUE(outcome.right_status) << outcome.message;
    EXPECT_EQ(outcome.x, constrained() ? target : VecX::Zero(12));
    EXPECT_EQ(outcome.iterations, 0);
}

TEST_P(EverySolverFromOutside, TheLimitOfIterationsIsNoSuccessButTheBestIterate) {
    if (direct()) GTEST_SKIP() << "has no iterations";
    const sparse::Matrix3 A = testing::grid_matrix(9, 9, 1e4, 4, 1);
    const VecX b = Random(5).field(A.rows());

    const Outcome outcome = solve(A, b, SolveStatus::max_iterations, "max_iterations=7");

    expect_failure(outcome, "after 7 iterations");
    EXPECT_EQ(outcome.iterations, 7);
    const Eigen::MatrixXd full = testing::dense(A);
    const VecX exact = oracle::solve_dense(full, b), error = outcome.x - exact;
    EXPECT_LT(error.dot(full * error), exact.dot(full * exact));
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySolverFromOutside,
                         ::testing::Combine(::testing::ValuesIn(solve::linear_solvers().begin(),
                                                                solve::linear_solvers().end()),
                                            ::testing::Values("c", "eigen")),
                         [](const auto& tested) {
                             return std::string(std::get<0>(tested.param)->key) + "_" +
                                    std::get<1>(tested.param);
                         });

TEST(SparseSolverStatuses, AFilterThatIsNoneIsInvalidInput) {
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    sparse::NodeFilter not_projector(16), bad_target(16);
    not_projector.insert({3, 1, Mat3::Identity() / 2, Vec3::Zero()});
    bad_target.insert({3, 1, Vec3(1, 1, 0).asDiagonal(), Vec3(1, 0, 1)});
    for (const sparse::NodeFilter& filter : {not_projector, bad_target}) {
        SparseSolver solver(whole_matrix(A));
        solver.set_constraints(filter);

        solver.solve(VecX::Ones(48));

        EXPECT_EQ(solver.info(), Eigen::InvalidInput);
        EXPECT_NE(solver.message().find("vertex 3"), std::string::npos) << solver.message();
    }
}

}  // namespace
}  // namespace taffeta

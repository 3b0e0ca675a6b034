#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solve/solve_helpers.h"
#include "sparse/constraint_systems.h"
#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"
#include "taffeta/sparse/constrained_matrix.h"

/// Constraints across vertices against a dense system with multipliers.
namespace taffeta::solve {
namespace {

using testing::dense;
using testing::make_solver;
using testing::Random;
using testing::values;
using Rows = std::vector<sparse::ConstraintRow>;

/// The preconditioner sees A, the prefiltered matrix, and that with a part of Q only.
constexpr sparse::FillLimits fill_limits[] = {{0, 0}, {0, 1e9}, {0.1, 1e9}};
constexpr sparse::FillLimits everything = fill_limits[1];

/// A grid with stiffness over four decades, one vertex in five held by a filter, and rows.
struct Coupled {
    sparse::Matrix3 A = testing::grid_matrix(8, 7, 100, 4, 1);
    sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    Rows rows;
    VecX b = Random(3).field(A.rows());

    explicit Coupled(Index count = 15) : rows(testing::contact_rows(8, 7, count, 4)) {}
    VecX zero() const { return VecX::Zero(b.size()); }
};

struct Kkt {
    VecX x, multipliers;
};

/// (A C' F'; C 0 0; F 0 0) (x; l; m) = (b; d; F z0), where the rows of F span range(I - S0).
Kkt kkt(const Coupled& problem) {
    const Eigen::Index n = problem.b.size(), m = Eigen::Index(problem.rows.size());
    const Eigen::MatrixXd forbidden = Eigen::MatrixXd::Identity(n, n) - dense(problem.filter);
    const Eigen::MatrixXd F = oracle::eigenvectors_above(forbidden, 0.5).transpose();
    VecX z0;
    problem.filter.targets(z0);
    Eigen::MatrixXd C(m + F.rows(), n);
    C << dense(problem.rows, problem.A.rows()), F;
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + C.rows(), n + C.rows());
    K.topLeftCorner(n, n) = dense(problem.A);
    K.topRightCorner(n, C.rows()) = C.transpose();
    K.bottomLeftCorner(C.rows(), n) = C;
    VecX right_side(n + C.rows());
    right_side << problem.b, values(problem.rows), F * z0;
    const VecX solution = oracle::solve_dense(K, right_side);
    return {solution.head(n), solution.segment(n, m)};
}

/// The solvers that say that they take constraints across vertices.
std::vector<const SolverEntry*> coupled_solvers() {
    std::vector<const SolverEntry*> found;
    for (const SolverEntry* entry : linear_solvers())
        if (entry->properties.coupled && !unavailable(*entry)) found.push_back(entry);
    return found;
}

std::unique_ptr<LinearSolver> tight(const SolverEntry& entry) {
    return make_solver(std::string(entry.key),
                       entry.properties.direct
                           ? std::vector<std::pair<std::string, double>>{}
                           : std::vector<std::pair<std::string, double>>{{"tolerance", 1e-13}});
}

TEST(GeneralConstraints, SolutionAndMultipliersAreThoseOfTheDenseKktSystem) {
    const Coupled problem;
    const Kkt expected = kkt(problem);
    const sparse::ConstraintBasis basis(problem.filter, problem.rows);
    ASSERT_EQ(basis.rank(), 15);
    for (const char* preconditioner : {"block_jacobi", "jacobi", "identity", "sa"})
        for (const sparse::FillLimits& limits : fill_limits) {
            const auto solver =
                make_solver("prefiltered_pcg", {{"tolerance", 1e-12}}, preconditioner);
            solver->set_constraints({&basis, limits});
            VecX x = problem.zero();

            const SolveReport report = solver->solve(problem.A, problem.filter, problem.b, x);

            ASSERT_TRUE(report.ok()) << preconditioner << ": " << report.message;
            EXPECT_LE((x - expected.x).norm(), 1e-8 * expected.x.norm()) << preconditioner;
            const VecX found = basis.multipliers(problem.b - dense(problem.A) * x);
            EXPECT_LE((found - expected.multipliers).norm(), 1e-8 * expected.multipliers.norm())
                << preconditioner << " " << limits.max_fill;
            const VecX values_now = dense(problem.rows, problem.A.rows()) * x;
            EXPECT_LE((values_now - values(problem.rows)).norm(), 1e-11 * (1 + x.norm()));
        }
}

TEST(GeneralConstraints, RedundantRowsChangeNothing) {
    Coupled problem, repeated;
    repeated.rows.push_back(repeated.rows[3]);
    repeated.rows.push_back(repeated.rows[8]);
    VecX x = problem.zero(), again = x;
    for (auto [system, solution] : {std::pair(&problem, &x), std::pair(&repeated, &again)}) {
        const sparse::ConstraintBasis basis(system->filter, system->rows);
        const auto solver = make_solver("prefiltered_pcg", {{"tolerance", 1e-12}});
        solver->set_constraints({&basis});

        ASSERT_TRUE(solver->solve(system->A, system->filter, system->b, *solution).ok());
    }
    EXPECT_LE((x - again).norm(), 1e-9 * x.norm());
}

TEST(GeneralConstraints, RowsOnSingleVerticesAreTheNodeFilter) {
    // The same constraints once as (S, z) of 1998 and once as rows.
    const Coupled problem(0);
    Rows rows;
    VecX z;
    problem.filter.targets(z);
    for (const sparse::NodeFilter::Entry& entry : problem.filter.entries())
        for (int k = 0; k < 3; ++k) {
            const Vec3 c = Vec3::Unit(k) - entry.projector.col(k);
            if (c.norm() > 1e-8) rows.push_back({{entry.vertex}, {c}, c.dot(entry.target)});
        }
    const sparse::NodeFilter free(problem.A.rows());
    const sparse::ConstraintBasis basis(free, rows);
    VecX expected = problem.zero(), z_rows;
    ASSERT_TRUE(make_solver("prefiltered_pcg", {{"tolerance", 1e-12}})
                    ->solve(problem.A, problem.filter, problem.b, expected)
                    .ok());
    basis.targets(z_rows);
    EXPECT_LE((z - z_rows).norm(), 1e-11 * z.norm());
    EXPECT_FALSE(basis.notes().empty());  // three columns of I - S of rank one or two
    for (const sparse::FillLimits& limits : fill_limits) {
        const auto solver = make_solver("prefiltered_pcg", {{"tolerance", 1e-12}});
        solver->set_constraints({&basis, limits});
        VecX x = problem.zero();

        ASSERT_TRUE(solver->solve(problem.A, free, problem.b, x).ok());

        EXPECT_LE((x - expected).norm(), 1e-9 * expected.norm());
    }
}

TEST(GeneralConstraints, PrefilteredMatrixEqualsItsDefinition) {
    // S0 B S0 + sigma (I - S0) = S A S + sigma (I - S0) + Q' Sigma Q
    const Coupled problem;
    const sparse::ConstraintBasis basis(problem.filter, problem.rows);
    const Eigen::MatrixXd A = dense(problem.A), S0 = dense(problem.filter);
    const Eigen::MatrixXd Q = dense(basis.q(), problem.A.rows());
    const Eigen::MatrixXd S = S0 - Q.transpose() * Q;
    sparse::ConstrainedMatrix constrained;

    ASSERT_TRUE(constrained.update(problem.A, basis, everything));

    EXPECT_EQ(sparse::find_fault(constrained.matrix().pattern()), "");
    EXPECT_EQ(sparse::find_asymmetry(constrained.matrix()), "");
    const Eigen::MatrixXd B = dense(constrained.matrix());
    const Eigen::MatrixXd rest = S0 * B * S0 - S * A * S;  // Q' Sigma Q
    const Eigen::MatrixXd sigma = Q * rest * Q.transpose();
    EXPECT_LE((rest - Q.transpose() * sigma * Q).norm(), 1e-12 * A.norm());
    EXPECT_LE((sigma - Eigen::MatrixXd(sigma.diagonal().asDiagonal())).norm(), 1e-12 * A.norm());
    const Eigen::VectorXd spectrum = oracle::eigenvalues(A);
    EXPECT_GE(sigma.diagonal().minCoeff(), spectrum[0]);
    EXPECT_LE(sigma.diagonal().maxCoeff(), spectrum[spectrum.size() - 1]);

    const sparse::Pattern pattern = constrained.matrix().shared_pattern();
    EXPECT_FALSE(constrained.update(problem.A, basis, {0, 1.0}));
    EXPECT_TRUE(constrained.update(problem.A, basis, everything));
    EXPECT_EQ(constrained.matrix().shared_pattern(), pattern);
}

TEST(GeneralConstraints, PrefilteredMatrixStaysPositiveWhenSmallNumbersAreDropped) {
    const Coupled problem(25);
    const sparse::ConstraintBasis basis(problem.filter, problem.rows);
    const double smallest = oracle::eigenvalues(dense(problem.A))[0];
    Index last = std::numeric_limits<Index>::max();
    for (const double drop : {0.0, 0.05, 0.2, 0.5}) {
        sparse::ConstrainedMatrix constrained;

        ASSERT_TRUE(constrained.update(problem.A, basis, {drop, 1e9}));

        const sparse::Matrix3& B = constrained.matrix();
        EXPECT_GT(oracle::eigenvalues(dense(B))[0], 0.5 * smallest) << drop;
        EXPECT_LT(B.pattern().blocks(), last) << drop;
        last = B.pattern().blocks();
    }
}

TEST(GeneralConstraints, MultigridNeedsFewMoreIterationsThanWithoutThem) {
    // 41 x 41 vertices, stiff in all directions. What block Jacobi takes shows that there is
    // something to gain.
    sparse::Matrix3 A = testing::grid_matrix(41, 41, 1e4, 1, 1);
    VecX positions(3 * A.rows());
    for (Index v = 0; v < A.rows(); ++v)
        vec3(positions, v) = Vec3(0.01 * (v % 41), 0.01 * (v / 41), 0);
    const VecX b = Random(3).field(A.rows());
    const sparse::NodeFilter filter(A.rows());
    const sparse::ConstraintBasis basis(filter, testing::contact_rows(41, 41, 40, 5));
    const auto iterations = [&](const char* preconditioner, const GeneralConstraints& constraints) {
        const auto solver = make_solver("prefiltered_pcg", {{"tolerance", 1e-6}}, preconditioner);
        solver->set_near_kernel({&positions});
        solver->set_constraints(constraints);
        VecX x = VecX::Zero(b.size());
        const SolveReport report = solver->solve(A, filter, b, x);
        EXPECT_TRUE(report.ok()) << report.message;
        return report.iterations;
    };

    const int without = iterations("sa", {});
    const int with = iterations("sa", {&basis});
    const int projected = iterations("sa", {&basis, fill_limits[0]});
    const int diagonal = iterations("block_jacobi", {&basis});

    EXPECT_LE(with, without + without / 2) << without;
    EXPECT_LT(with, projected);
    EXPECT_GT(diagonal, 2 * with);
}

TEST(GeneralConstraints, HaveTheSameBitsForAnyNumberOfThreads) {
    const sparse::Matrix3 A = testing::grid_matrix(31, 29, 100, 4, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(A.rows(), 2);
    const VecX b = Random(3).field(A.rows());
    for (const char* preconditioner : {"sa", "block_jacobi"})
        for (const sparse::FillLimits& limits : {fill_limits[0], fill_limits[2]}) {
            VecX serial;
            for (const int threads : {1, 2, 4, 8}) {
                set_thread_count(threads);
                const sparse::ConstraintBasis basis(filter, testing::contact_rows(31, 29, 60, 6));
                const auto solver =
                    make_solver("prefiltered_pcg", {{"tolerance", 1e-6}}, preconditioner);
                solver->set_constraints({&basis, limits});
                VecX x = VecX::Zero(b.size());

                ASSERT_TRUE(solver->solve(A, filter, b, x).ok());

                if (threads == 1) serial = x;
                EXPECT_EQ(x, serial) << threads << " threads, " << preconditioner;
            }
        }
    set_thread_count(0);
}

TEST(GeneralConstraints, AllFreedomTakenLeavesTheTargets) {
    // Nothing to iterate on: what projection leaves of the load is rounding.
    const sparse::Matrix3 A = testing::grid_matrix(2, 2, 100, 1, 1);
    const sparse::NodeFilter filter(4);
    Rows rows;
    Random random(7);
    for (int k = 0; k < 12; ++k)
        rows.push_back({{0, 1, 2, 3},
                        {random.vector(), random.vector(), random.vector(), random.vector()},
                        random.uniform()});
    const sparse::ConstraintBasis basis(filter, rows);
    ASSERT_EQ(basis.rank(), 12);
    const VecX guess = random.field(4), b = random.field(4);
    for (const SolverEntry* entry : coupled_solvers()) {
        const auto solver = entry->make(Settings::object());
        solver->set_constraints({&basis});
        VecX x = guess;

        const SolveReport report = solver->solve(A, filter, b, x);

        EXPECT_TRUE(report.ok()) << entry->key << ": " << report.message;
        EXPECT_EQ(report.iterations, 0) << entry->key;
        EXPECT_LE((dense(rows, 4) * x - values(rows)).norm(), 1e-9 * (1 + x.norm())) << entry->key;
    }
}

TEST(GeneralConstraints, EverySolverThatTakesThemAgreesWithTheDenseKktSystem) {
    for (const Index count : {1, 15, 40}) {
        const Coupled problem(count);
        const Kkt expected = kkt(problem);
        const sparse::ConstraintBasis basis(problem.filter, problem.rows);
        for (const SolverEntry* entry : coupled_solvers()) {
            const auto solver = tight(*entry);
            solver->set_constraints({&basis});
            VecX x = problem.zero();

            const SolveReport report = solver->solve(problem.A, problem.filter, problem.b, x);

            ASSERT_TRUE(report.ok()) << entry->key << ": " << report.message;
            EXPECT_LE((x - expected.x).norm(), 1e-8 * expected.x.norm()) << entry->key;
            const VecX held = dense(problem.rows, problem.A.rows()) * x - values(problem.rows);
            EXPECT_LE(held.norm(), 1e-10 * (1 + x.norm())) << entry->key;
            const VecX found = basis.multipliers(problem.b - dense(problem.A) * x);
            EXPECT_LE((found - expected.multipliers).norm(), 1e-7 * expected.multipliers.norm())
                << entry->key;
        }
    }
}

/// Rows come and go, values change: what was analysed for one pattern must not serve another.
TEST(GeneralConstraints, SolversFollowRowsThatComeAndGo) {
    Coupled problem(6), more(20), none(0);
    for (const SolverEntry* entry : coupled_solvers()) {
        const auto solver = tight(*entry);
        for (const Coupled* now : {&none, &problem, &more, &problem, &none, &more}) {
            const sparse::ConstraintBasis basis(now->filter, now->rows);
            solver->set_constraints(now == &none ? GeneralConstraints{}
                                                 : GeneralConstraints{&basis});
            VecX x = now->zero();

            const SolveReport report = solver->solve(now->A, now->filter, now->b, x);

            ASSERT_TRUE(report.ok()) << entry->key << ": " << report.message;
            const VecX expected = kkt(*now).x;
            EXPECT_LE((x - expected).norm(), 1e-8 * expected.norm()) << entry->key;
        }
    }
}

TEST(GeneralConstraints, EverySolverThatTakesThemReportsConflictsAndForeignFilters) {
    const Coupled problem;
    Rows rows = problem.rows;
    rows.push_back(rows[2]);
    rows.back().value += 0.25;
    const sparse::ConstraintBasis conflict(problem.filter, rows);
    const sparse::ConstraintBasis foreign(sparse::NodeFilter(problem.A.rows()), problem.rows);
    for (const SolverEntry* entry : coupled_solvers()) {
        const auto solver = tight(*entry);
        VecX x = VecX::Ones(problem.b.size());

        solver->set_constraints({&conflict});
        const SolveReport contradiction = solver->solve(problem.A, problem.filter, problem.b, x);
        solver->set_constraints({&foreign});
        const SolveReport other = solver->solve(problem.A, problem.filter, problem.b, x);

        EXPECT_EQ(contradiction.status, SolveStatus::bad_filter) << entry->key;
        EXPECT_NE(contradiction.message.find("row 15 asks for"), std::string::npos)
            << contradiction.message;
        EXPECT_NE(contradiction.message.find("follows from row 2"), std::string::npos);
        EXPECT_EQ(other.status, SolveStatus::bad_filter) << entry->key;
        EXPECT_NE(other.message.find("another node filter"), std::string::npos);
        EXPECT_EQ(x, VecX::Ones(x.size())) << entry->key;
        solver->set_constraints({});
        EXPECT_TRUE(solver->solve(problem.A, problem.filter, problem.b, x).ok()) << entry->key;
    }
}

TEST(GeneralConstraints, SolversThatTakeNoneSaySo) {
    const Coupled problem;
    const sparse::ConstraintBasis basis(problem.filter, problem.rows);
    int none = 0;
    for (const SolverEntry* entry : linear_solvers()) {
        if (unavailable(*entry)) continue;
        const auto solver = entry->make(Settings::object());
        EXPECT_NO_THROW(solver->set_constraints({}));
        if (entry->properties.coupled) {
            EXPECT_NO_THROW(solver->set_constraints({&basis})) << entry->key;
        } else {
            EXPECT_THROW(solver->set_constraints({&basis}), Error) << entry->key;
            ++none;
        }
    }
    EXPECT_GE(none, 1);  // pcg, which takes no constraints at all
    EXPECT_GE(coupled_solvers().size(), 3U);
}

TEST(GeneralConstraints, NumbersThatAreNotFiniteAreFound) {
    Coupled problem;
    const sparse::ConstraintBasis basis(problem.filter, problem.rows);
    const Index free_vertex = basis.columns().touched.front();
    for (const sparse::FillLimits& limits : fill_limits) {
        const auto solver = make_solver("prefiltered_pcg", {}, "block_jacobi");
        solver->set_constraints({&basis, limits});
        VecX x = problem.zero(), b = problem.b;
        vec3(b, free_vertex)[1] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_EQ(solver->solve(problem.A, problem.filter, b, x).status, SolveStatus::not_finite);
        sparse::Matrix3 A = problem.A;
        A.block(A.pattern().diagonal[std::size_t(free_vertex)])(0, 0) =
            std::numeric_limits<double>::infinity();
        EXPECT_EQ(solver->solve(A, problem.filter, problem.b, x).status, SolveStatus::not_finite);
    }
}

}  // namespace
}  // namespace taffeta::solve

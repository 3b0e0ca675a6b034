#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solve/solve_helpers.h"

/// What every solver says about bad input, and about input that only looks bad. A failure is never
/// reported as success, and its message names the place.
namespace taffeta::solve {
namespace {

using testing::make_solver;
using testing::Random;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

class EverySolver : public ::testing::TestWithParam<const SolverEntry*> {
  protected:
    void SetUp() override {
        const Unavailable lack = unavailable(*GetParam());
        if (lack) GTEST_SKIP() << lack.why;
    }
    std::unique_ptr<LinearSolver> make(
        const std::vector<std::pair<std::string, double>>& numbers = {}) const {
        return make_solver(std::string(GetParam()->key), numbers);
    }
    bool direct() const { return GetParam()->properties.direct; }
    /// Constraints where the solver takes them.
    sparse::NodeFilter filter_for(const sparse::Matrix3& A) const {
        return GetParam()->properties.constrained ? testing::mixed_filter(A.rows(), 2)
                                                  : sparse::NodeFilter(A.rows());
    }
    static bool mentions(const SolveReport& report, const std::string& text) {
        return report.message.find(text) != std::string::npos;
    }
};

TEST_P(EverySolver, ReportsIndefiniteMatrices) {
    const sparse::Matrix3 A = testing::indefinite_matrix();
    ASSERT_LT(oracle::eigenvalues(testing::dense(A))[0], -0.1);
    const VecX b = Random(2).field(A.rows());
    VecX x = VecX::Zero(b.size());

    const SolveReport report = make()->solve(A, sparse::NodeFilter(A.rows()), b, x);

    EXPECT_EQ(report.status, SolveStatus::indefinite) << report.message;
    EXPECT_TRUE(mentions(report, direct() ? "pivot" : "at iteration")) << report.message;
    EXPECT_TRUE(mentions(report, " is -") || mentions(report, "= -")) << report.message;
    EXPECT_TRUE(x.allFinite());
}

TEST_P(EverySolver, ReportsSingularBlocks) {
    const sparse::Matrix3 A = testing::matrix_with_empty_vertex(7);
    const VecX b = VecX::Ones(48);
    VecX x = VecX::Zero(48);

    const SolveReport report = make()->solve(A, sparse::NodeFilter(16), b, x);

    EXPECT_EQ(report.status, SolveStatus::singular) << report.message;
    EXPECT_TRUE(mentions(report, "vertex 7")) << report.message;
}

TEST_P(EverySolver, RejectsNumbersThatAreNotFinite) {
    const sparse::Matrix3 good = testing::grid_matrix(5, 4, 10, 1, 1);
    const sparse::NodeFilter filter = filter_for(good);
    const VecX b = Random(3).field(good.rows());
    for (const double bad : {nan, infinity, -infinity}) {
        for (const Index slot :
             {Index(0), good.pattern().slot(7, 8), good.pattern().blocks() - 1}) {
            sparse::Matrix3 A = good;
            A.slot(slot)[5] = bad;
            VecX x = VecX::Zero(b.size());

            const SolveReport report = make()->solve(A, filter, b, x);

            EXPECT_EQ(report.status, SolveStatus::not_finite) << "slot " << slot << report.message;
            EXPECT_FALSE(report.message.empty());
        }
        for (Eigen::Index place = 0; place < b.size(); ++place) {  // free, partly free and fixed
            VecX bad_b = b, x = VecX::Zero(b.size()), bad_x = x, unused = x;
            bad_b[place] = bad;
            bad_x[place] = bad;

            const SolveReport report = make()->solve(good, filter, bad_b, x);

            EXPECT_EQ(report.status, SolveStatus::not_finite);
            EXPECT_TRUE(mentions(report, "b[" + std::to_string(place) + "]")) << report.message;
            EXPECT_EQ(x, unused);
            if (direct()) continue;
            const SolveReport guess = make()->solve(good, filter, b, bad_x);
            EXPECT_EQ(guess.status, SolveStatus::not_finite);
            EXPECT_TRUE(mentions(guess, "guess")) << guess.message;
        }
    }
}

TEST_P(EverySolver, LooksAtTheMatrixEvenWhenThereIsNothingToSolve) {
    sparse::Matrix3 A = testing::grid_matrix(5, 4, 10, 1, 1);
    A.slot(A.pattern().slot(7, 8))[5] = nan;
    const VecX b = VecX::Zero(60);
    VecX x = b;

    EXPECT_EQ(make()->solve(A, sparse::NodeFilter(20), b, x).status, SolveStatus::not_finite);
}

TEST_P(EverySolver, RejectsBadFilters) {
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    sparse::NodeFilter not_projector(16), bad_target(16);
    not_projector.insert({3, 1, Mat3::Identity() / 2, Vec3::Zero()});
    bad_target.insert({3, 1, Vec3(1, 1, 0).asDiagonal(), Vec3(1, 0, 1)});
    const VecX b = VecX::Ones(48);

    for (const sparse::NodeFilter& filter : {not_projector, bad_target}) {
        VecX x = VecX::Zero(48);
        const SolveReport report = make()->solve(A, filter, b, x);

        EXPECT_EQ(report.status, SolveStatus::bad_filter);
        EXPECT_TRUE(mentions(report, "vertex 3")) << report.message;
        EXPECT_EQ(x, VecX::Zero(48));
    }
}

TEST_P(EverySolver, RejectsSizesThatDisagree) {
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    const VecX b = VecX::Ones(48), short_b = VecX::Ones(45);
    VecX x = VecX::Zero(48), long_x = VecX::Zero(51);

    const SolveReport filter = make()->solve(A, sparse::NodeFilter(15), b, x);
    const SolveReport right_side = make()->solve(A, sparse::NodeFilter(16), short_b, x);
    const SolveReport solution = make()->solve(A, sparse::NodeFilter(16), b, long_x);

    for (const SolveReport& report : {filter, right_side, solution})
        EXPECT_EQ(report.status, SolveStatus::bad_size);
    EXPECT_TRUE(mentions(filter, "16") && mentions(filter, "15")) << filter.message;
    EXPECT_TRUE(mentions(right_side, "45")) << right_side.message;
    EXPECT_TRUE(mentions(solution, "51")) << solution.message;
}

TEST_P(EverySolver, RejectsForeignPatternsThatBreakTheRules) {
    sparse::BlockPattern repeated{{0, 2, 4}, {0, 0, 0, 1}, {0, 3}};
    const sparse::Matrix3 A(std::make_shared<const sparse::BlockPattern>(repeated));
    const VecX b = VecX::Ones(6);
    VecX x = VecX::Zero(6);

    const SolveReport report = make()->solve(A, sparse::NodeFilter(2), b, x);

    EXPECT_EQ(report.status, SolveStatus::bad_size);
    EXPECT_TRUE(mentions(report, "row 0")) << report.message;
}

TEST_P(EverySolver, NothingToSolveTakesNoIteration) {
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    VecX x = Random(1).field(16);

    const SolveReport report = make()->solve(A, sparse::NodeFilter(16), VecX::Zero(48), x);

    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(x, VecX::Zero(48));
}

TEST_P(EverySolver, ZeroRightSideUnderConstraintsTakesNoIteration) {
    if (!GetParam()->properties.constrained) GTEST_SKIP() << "takes no constraints";
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    sparse::NodeFilter filter = testing::mixed_filter(16, 2);
    filter.zero_targets();
    VecX x = Random(1).field(16);

    const SolveReport report = make()->solve(A, filter, VecX::Zero(48), x);

    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(x, VecX::Zero(48));
}

TEST_P(EverySolver, RightSideOfOnlyConstraintForcesGivesTheTargets) {
    if (!GetParam()->properties.constrained) GTEST_SKIP() << "takes no constraints";
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    const sparse::NodeFilter filter = testing::mixed_filter(16, 2);
    VecX z, x = VecX::Zero(48);
    filter.targets(z);
    VecX b = testing::dense(A) * z, force = Random(3).field(16);
    filter.project_complement(force);
    b += force;

    const SolveReport report = make()->solve(A, filter, b, x);

    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_LE((x - z).norm(), 1e-12);
}

TEST_P(EverySolver, EmptySystemIsSolved) {
    VecX none(0);

    EXPECT_TRUE(make()->solve({}, sparse::NodeFilter(0), none, none).ok());
    EXPECT_TRUE(
        make()
            ->solve(sparse::Matrix3(sparse::make_pattern(0, {})), sparse::NodeFilter(0), none, none)
            .ok());
}

TEST_P(EverySolver, OneVertexIsSolved) {
    sparse::Matrix3 A(sparse::make_pattern(1, {}));
    A.block(0) << 4, 1, 0, 1, 3, 1, 0, 1, 2;
    const VecX b = Vec3(1, 2, 3);
    VecX x = VecX::Zero(3);

    const SolveReport report = make()->solve(A, sparse::NodeFilter(1), b, x);

    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_LE((A.block(0) * x - b).norm(), 1e-5);
}

TEST_P(EverySolver, FullyConstrainedSystemsGiveTheTargets) {
    if (!GetParam()->properties.constrained) GTEST_SKIP() << "takes no constraints";
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    sparse::NodeFilter filter(16);
    Random random(4);
    for (Index v = 0; v < 16; ++v) {
        filter.fix(v);
        filter.set_target(v, random.vector());
    }
    VecX z, x = random.field(16);
    filter.targets(z);

    const SolveReport report = make()->solve(A, filter, random.field(16), x);

    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(x, z);
}

TEST_P(EverySolver, TheLimitOfIterationsIsReportedWithTheBestIterate) {
    if (direct()) GTEST_SKIP() << "has no iterations";
    const sparse::Matrix3 A = testing::grid_matrix(9, 9, 1e4, 4, 1);
    const sparse::NodeFilter filter = filter_for(A);
    const VecX b = Random(5).field(A.rows());
    VecX x = VecX::Zero(b.size()), z;
    filter.targets(z);

    const SolveReport report = make({{"max_iterations", 7}})->solve(A, filter, b, x);

    EXPECT_EQ(report.status, SolveStatus::max_iterations);
    EXPECT_EQ(report.iterations, 7);
    EXPECT_GT(report.residual, 1e-5);
    EXPECT_TRUE(mentions(report, "after 7 iterations")) << report.message;
    const VecX exact = testing::kkt_solution(A, filter, b);
    const Eigen::MatrixXd full = testing::dense(A);
    EXPECT_LT((x - exact).dot(full * (x - exact)), (z - exact).dot(full * (z - exact)));
}

TEST_P(EverySolver, AnAsymmetricMatrixIsNeverSilentlyWrong) {
    sparse::Matrix3 A = testing::grid_matrix(6, 6, 100, 2, 1);
    Random random(8);
    for (Index s = 0; s < A.pattern().blocks(); ++s)
        for (int k = 0; k < 9; ++k)
            A.slot(s)[k] += 20 * random.uniform();
    const VecX b = random.field(A.rows());
    VecX x = VecX::Zero(b.size());

    const SolveReport report =
        make(direct() ? std::vector<std::pair<std::string, double>>{}
                      : std::vector<std::pair<std::string, double>>{{"max_iterations", 500}})
            ->solve(A, sparse::NodeFilter(A.rows()), b, x);

    if (direct()) {
        EXPECT_EQ(report.status, SolveStatus::indefinite);
        EXPECT_TRUE(mentions(report, "not symmetric")) << report.message;
    }
    // Conjugate gradients may still get there; then the equations must hold.
    const VecX residual = b - testing::dense(A) * x;
    EXPECT_TRUE(report.ok() ? residual.norm() < 1e-2 * b.norm() : !report.message.empty())
        << residual.norm();
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySolver,
                         ::testing::ValuesIn(linear_solvers().begin(), linear_solvers().end()),
                         [](const auto& tested) { return std::string(tested.param->key); });

TEST(Pcg, RefusesConstraintsRatherThanToIgnoreThem) {
    const sparse::Matrix3 A = testing::grid_matrix(4, 4, 1, 0, 1);
    sparse::NodeFilter filter(16);
    filter.fix(11);
    VecX x = VecX::Zero(48);

    const SolveReport report = make_solver("pcg")->solve(A, filter, VecX::Ones(48), x);

    EXPECT_EQ(report.status, SolveStatus::bad_filter);
    EXPECT_NE(report.message.find("11"), std::string::npos) << report.message;
}

TEST(Pcg, SaysThatTheMatrixIsNotSymmetric) {
    // (1, k; -k, 1) couples two components by a rotation: p'Ap > 0 always, yet no convergence.
    sparse::Matrix3 A = testing::grid_matrix(5, 5, 1, 0, 1);
    for (Index i = 0; i + 1 < 25; ++i) {
        const Index slot = A.pattern().slot(i, i + 1);
        if (slot < 0) continue;
        A.block(slot) += 50 * Mat3::Identity();
        A.block(A.pattern().slot(i + 1, i)) -= 50 * Mat3::Identity();
    }
    VecX x = VecX::Zero(75);

    const SolveReport report = make_solver("pcg", {{"max_iterations", 300}})
                                   ->solve(A, sparse::NodeFilter(25), VecX::Ones(75), x);

    EXPECT_EQ(report.status, SolveStatus::indefinite);
    EXPECT_NE(report.message.find("not symmetric"), std::string::npos) << report.message;
}

TEST(Pcg, NamesTheIterationAndTheCurvature) {
    // diag(1, 1, -1) coupled to nothing, started so that the first direction is (0, 0, 1).
    sparse::Matrix3 A(sparse::make_pattern(1, {}));
    A.block(0) = Vec3(1, 1, -1).asDiagonal();
    VecX x = VecX::Zero(3);

    const SolveReport report =
        make_solver("pcg", {}, "identity")->solve(A, sparse::NodeFilter(1), Vec3(0, 0, 2), x);

    EXPECT_EQ(report.status, SolveStatus::indefinite);
    EXPECT_NE(report.message.find("p'Ap = -4 at iteration 1"), std::string::npos) << report.message;
    EXPECT_EQ(x, VecX::Zero(3));
}

}  // namespace
}  // namespace taffeta::solve

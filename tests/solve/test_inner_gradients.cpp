#include <gtest/gtest.h>

#include "solve/sa_helpers.h"
#include "taffeta/base/parallel.h"
#include "taffeta/solve/sa/float_vectors.h"

/// Conjugate gradients in single precision, inside of multigrid.
namespace taffeta::solve {
namespace {

using testing::elastic_matrix;
using testing::Random;
using testing::sheet;

constexpr Index side = 39;

struct Problem {
    sparse::Matrix3 A;
    sparse::NodeFilter filter;
    VecX coordinates, exact, b;

    explicit Problem(Index columns = side, double stiffness = 1e4)
        : A(elastic_matrix(columns, side, stiffness)),
          filter(testing::mixed_filter(columns * side, 7)),
          coordinates(sheet(columns, side)) {
        filter.zero_targets();
        exact = Random(4).field(A.rows());
        filter.project(exact);
        sparse::multiply(A, exact, b);
    }
    VecX load() const {
        VecX projected = b;
        filter.project(projected);
        return projected;
    }
    double true_residual(const VecX& x) const {
        VecX r;
        sparse::multiply(A, x, r);
        r = (b - r).eval();
        filter.project(r);
        return r.norm();
    }
    std::unique_ptr<LinearSolver> solver(double tolerance, int most = 10000) const {
        auto made = testing::make_solver(
            "prefiltered_pcg", {{"tolerance", tolerance}, {"max_iterations", most}}, "sa");
        made->set_near_kernel({&coordinates});
        return made;
    }
};

/// Counts what it is asked for, and solves nothing itself.
class Watched final : public OuterSystem {
  public:
    explicit Watched(const Problem& problem, double noise = 0)
        : problem_(problem), noise_(noise), y(VecX::Zero(problem.b.size())) {}
    VecX& iterate() override { return y; }
    const VecX& residual() override {
        ++residuals;
        sparse::multiply(problem_.A, y, residual_);
        residual_ = (problem_.b - (1 + product_error) * residual_).eval();
        if (noise_ > 0 && residuals > 1)
            residual_ += noise_ * problem_.b.norm() * noises_.field(Index(y.size() / 3)) / side;
        problem_.filter.project(residual_);
        return residual_;
    }
    bool goes_on(int, double) override { return true; }

  private:
    const Problem& problem_;
    double noise_;
    Random noises_{11};
    VecX residual_;

  public:
    VecX y;
    int residuals = 0;
    double product_error = 0;  ///< relative, of its A y
};

Settings fast() {
    return Settings::of(std::string("sa"));
}
Settings without_images() {
    Settings settings = testing::solver_settings("sa");
    settings["fused_product"] = Settings::of(false);
    return settings;
}
Settings as_in_the_paper() {
    Settings settings = testing::solver_settings("sa");
    settings["preset"] = Settings::of(std::string("paper2015"));
    return settings;
}

std::unique_ptr<Preconditioner> multigrid(const Problem& problem, const Settings& settings) {
    auto made = make_entry(preconditioners(), "preconditioner", settings, "sa");
    EXPECT_TRUE(made->setup(problem.A, problem.filter, {&problem.coordinates}).ok());
    return made;
}

TEST(FloatVectors, AreThoseOfDoublesToRoundingForAnyLengthAndThreads) {
    for (const Index vertices : {1, 2, 3, 2047, 2048, 2049, 10001}) {
        Random random(5);
        const VecX z = random.field(vertices), w = random.field(vertices);
        const VecX p0 = random.field(vertices), q0 = random.field(vertices);
        auto a = testing::padded(z), b = testing::padded(w);
        double first_sum = 0;
        for (const int threads : {1, 2, 5}) {
            set_thread_count(threads);
            auto p = testing::padded(p0), q = testing::padded(q0);
            sparse::Partials scratch;

            const double product = sa::turn(0.25f, a, b, p, q, scratch);
            const VecX p1 = z + 0.25 * p0, q1 = w + 0.25 * q0;
            EXPECT_LE((testing::unpadded(p) - p1).cwiseAbs().maxCoeff(), 4e-7);
            EXPECT_LE((testing::unpadded(q) - q1).cwiseAbs().maxCoeff(), 4e-7);
            EXPECT_NEAR(product, p1.dot(q1), 1e-6 * p1.norm() * q1.norm()) << vertices;

            sa::step(0.5f, a, b, p, q);
            EXPECT_LE((testing::unpadded(p) - p1 - 0.5 * z).cwiseAbs().maxCoeff(), 4e-7);
            EXPECT_LE((testing::unpadded(q) - q1 + 0.5 * w).cwiseAbs().maxCoeff(), 4e-7);
            const double sum = sa::dot(p, q, scratch);
            if (threads == 1) first_sum = sum;
            EXPECT_EQ(sum, first_sum) << vertices << " vertices, " << threads << " threads";
        }
        set_thread_count(0);
    }
}

TEST(InnerGradients, ReachTheToleranceByTheTrueResidualInFewProducts) {
    const Problem problem;
    const auto sa = multigrid(problem, fast());
    for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
        Watched outer(problem);
        InnerReport report;
        ASSERT_TRUE(sa->iterate(problem.load(), {tolerance, 0, 1000, 50}, outer, report));

        EXPECT_EQ(report.outcome, InnerReport::Outcome::converged) << tolerance;
        VecX z0, z;
        sa->apply(problem.load(), z0);
        const int asked = outer.residuals;
        const VecX left = outer.residual();
        sa->apply(left, z);
        const double relative = std::sqrt(left.dot(z) / problem.load().dot(z0));
        EXPECT_LT(relative, tolerance * (1 + 1e-4));
        EXPECT_NEAR(report.residual, relative, 1e-3 * relative);
        // After the first step, for the last word, and one may have come too early.
        EXPECT_LE(asked, 3) << tolerance;
        EXPECT_GE(asked, 2);
    }
}

int iterations(const Problem& problem, const Settings& preconditioner, VecX& x) {
    Settings settings = testing::solver_settings("prefiltered_pcg");
    settings["preconditioner"] = preconditioner;
    const auto solver = make_linear_solver(settings);
    solver->set_near_kernel({&problem.coordinates});
    x = VecX::Zero(problem.b.size());
    const SolveReport report = solver->solve(problem.A, problem.filter, problem.b, x);
    EXPECT_TRUE(report.ok()) << report.message;
    return report.iterations;
}

TEST(InnerGradients, TakeTheIterationsOfDoublePrecision) {
    const Problem problem;
    VecX x;
    const int in_double = iterations(problem, without_images(), x);
    EXPECT_NEAR(iterations(problem, fast(), x), in_double, 1);
    EXPECT_LE((x - problem.exact).norm(), 1e-3 * problem.exact.norm());
}

/// Nothing holds the sheet and the load moves it as a whole: what its stiffness, of which A z has next to
/// nothing, leaves in single precision is up to 7e-3 of A z.
TEST(InnerGradients, TakeThemAlsoWhereProductsAreRough) {
    for (const double stiffness : {1e2, 1e3, 1e4, 3e4, 1e5, 3e5, 1e6}) {
        Problem problem(side, stiffness);
        problem.filter = sparse::NodeFilter(side * side);
        problem.b = Random(1).field(side * side);
        VecX x, reference;
        const int in_double = iterations(problem, without_images(), reference);
        EXPECT_NEAR(iterations(problem, fast(), x), in_double, 1) << stiffness;
        EXPECT_LE((x - reference).norm(), 1e-4 * reference.norm()) << stiffness;
    }
}

/// Vectors lie behind each other and are read eight floats at a time, two vertices.
TEST(InnerGradients, TakeOddNumbersOfVertices) {
    for (const Index columns : {2, 3, 39, 40, 41}) {
        const Problem problem(columns);
        const auto sa = multigrid(problem, fast());
        for (int solve = 0; solve < 2; ++solve) {
            Watched outer(problem);
            InnerReport report;
            ASSERT_TRUE(sa->iterate(problem.load(), {1e-5, 0, 100, 50}, outer, report));
            EXPECT_EQ(report.outcome, InnerReport::Outcome::converged) << columns;
            EXPECT_LE(report.iterations, 20) << columns;
        }
    }
}

TEST(InnerGradients, AreNotThereForChebyshevExactProductsAndTightTolerances) {
    const Problem problem;
    Watched outer(problem);
    InnerReport report;
    const VecX r = problem.load();
    for (const Settings& settings : {as_in_the_paper(), without_images()})
        EXPECT_FALSE(multigrid(problem, settings)->iterate(r, {1e-5, 0, 100, 50}, outer, report));
    EXPECT_FALSE(multigrid(problem, fast())->iterate(r, {1e-8, 0, 100, 50}, outer, report));
    EXPECT_EQ(outer.y.norm(), 0);
    EXPECT_EQ(report.iterations, 0);
}

TEST(InnerGradients, LeaveItToDoubleWhereProductsAreRough) {
    const Problem problem;
    const auto sa = multigrid(problem, fast());
    Watched outer(problem);
    InnerReport report;
    outer.product_error = 1e-3;
    EXPECT_TRUE(sa->iterate(problem.load(), {1e-6, 0, 100, 50}, outer, report));
    EXPECT_EQ(report.outcome, InnerReport::Outcome::converged);
    EXPECT_GT(outer.residuals, 3) << "the true residual more often";

    report = {};
    outer.y.setZero();
    outer.product_error = 0.01;
    EXPECT_TRUE(sa->iterate(problem.load(), {1e-4, 0, 100, 50}, outer, report));
    EXPECT_EQ(report.outcome, InnerReport::Outcome::gave_up);
    EXPECT_EQ(report.iterations, 1);
    EXPECT_GT(outer.y.norm(), 0) << "the first step is kept";
    outer.product_error = 0;
    EXPECT_FALSE(sa->iterate(problem.load(), {1e-4, 0, 100, 50}, outer, report));

    sa->reset();
    ASSERT_TRUE(sa->setup(problem.A, problem.filter, {&problem.coordinates}).ok());
    EXPECT_TRUE(sa->iterate(problem.load(), {1e-4, 0, 100, 50}, outer, report));
}

TEST(InnerGradients, RewardAGoodGuess) {
    const Problem problem;
    const auto solver = problem.solver(1e-5);
    VecX x = VecX::Zero(problem.b.size());
    const int from_zero = solver->solve(problem.A, problem.filter, problem.b, x).iterations;

    x = problem.exact + 1e-3 * Random(9).field(side * side);
    const SolveReport near = solver->solve(problem.A, problem.filter, problem.b, x);
    EXPECT_TRUE(near.ok());
    EXPECT_LT(near.iterations, from_zero);
    EXPECT_GT(near.iterations, 0);
    x = problem.exact;
    const SolveReport there = solver->solve(problem.A, problem.filter, problem.b, x);
    EXPECT_TRUE(there.ok());
    EXPECT_EQ(there.iterations, 0);
}

TEST(InnerGradients, KeepTheBestIterateWhenTheyAreStopped) {
    const Problem problem;
    VecX limited = VecX::Zero(problem.b.size()), stopped = limited;
    const SolveReport limit =
        problem.solver(1e-5, 4)->solve(problem.A, problem.filter, problem.b, limited);
    const auto solver = problem.solver(1e-5);
    solver->set_progress([](int iteration, double) { return iteration < 4; });
    const SolveReport stop = solver->solve(problem.A, problem.filter, problem.b, stopped);

    for (const SolveReport* report : {&limit, &stop}) {
        EXPECT_EQ(report->status, SolveStatus::max_iterations);
        EXPECT_EQ(report->iterations, 4);
    }
    EXPECT_NE(stop.message.find("stopped by the caller after iteration 4"), std::string::npos);
    EXPECT_LT(problem.true_residual(stopped), 0.1 * problem.b.norm());
    EXPECT_LE((stopped - limited).norm(), 1e-6 * limited.norm());
}

TEST(InnerGradients, GiveUpWhereTheTrueResidualStaysAwayFromTheRecurrence) {
    const Problem problem;
    Watched outer(problem, 1e-3);  // whose residuals cannot be had to more than that
    InnerReport report;
    ASSERT_TRUE(
        multigrid(problem, fast())->iterate(problem.load(), {1e-5, 0, 1000, 50}, outer, report));

    EXPECT_EQ(report.outcome, InnerReport::Outcome::gave_up);
    EXPECT_GT(report.residual, 1e-5);
    EXPECT_LT(report.iterations, 40);
    EXPECT_LE(problem.true_residual(outer.y), 0.02 * problem.b.norm()) << "what was gained is kept";
}

}  // namespace
}  // namespace taffeta::solve

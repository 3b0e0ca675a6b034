#include <gtest/gtest.h>

#include <tuple>

#include "helpers/dense.h"
#include "ode/problems.h"
#include "ode/spring_sheet.h"

/// Newton's method and its cheaper variants on one step of backward Euler of the hanging sheet,
/// against counts and rates that an independent implementation measured; and how it ends where it
/// cannot reach its goal.
namespace taffeta::ode {
namespace {

using namespace testing;
using Stiffness = SpringSheet::Stiffness;

/// After 0.2 s, and after 0.6 s.
const State& early() {
    static const State state = SpringSheet::fallen(20);
    return state;
}
const State& late() {
    static const State state = SpringSheet::fallen(60);
    return state;
}

/// The report of one step; the residual is relative to the first one.
StepReport step(Stiffness form, const State& start, double h, const NewtonOptions& options) {
    SpringSheet sheet(form);
    State state = start;
    const auto euler = find_entry(integrators(), "integrator", "backward_euler").make(Settings());
    euler->set_newton(options);
    return euler->step(sheet, state, h);
}

/// |r| over the first after so many iterations without line search.
double residual_after(Stiffness form, const State& start, double h, const char* type,
                      int iterations) {
    return step(form, start, h,
                {.type = type,
                 .max_iterations = iterations,
                 .tolerance = 1e-15,
                 .line_search = false})
        .newton_residual;
}

int iterations_to(Stiffness form, double h, const NewtonOptions& options) {
    const StepReport report = step(form, early(), h, options);
    EXPECT_TRUE(report.ok()) << report.solve.message;
    return report.newton_iterations;
}

TEST(SpringSheetProblem, IsTheOneThatWasMeasured) {
    // 398 springs; h^2 lambda_max(M^-1 K) = 15.16 at h = 0.01; the Laplacian of eq. 50, taken with
    // the printed sign, makes M - h^2 L indefinite: -0.9055 at h = 0.04.
    SpringSheet exact(Stiffness::exact), laplacian(Stiffness::laplacian);
    const Eigen::MatrixXd K = exact.stiffness_at(early().x), L = laplacian.stiffness_at(early().x);
    const VecX of_K = oracle::eigenvalues(K);
    const VecX of_L = oracle::eigenvalues(L);

    EXPECT_EQ(exact.springs.size(), 398);
    EXPECT_NEAR(1e-4 * of_K.maxCoeff() / SpringSheet::mass, 15.16, 0.005);
    EXPECT_NEAR(SpringSheet::mass - 1.6e-3 * of_L.maxCoeff(), -0.9055, 1e-4);
    // Three zero modes and no negative one, never below the clamped matrix.
    EXPECT_NEAR(of_L[2], 0, 1e-9);
    EXPECT_GT(of_L[3], 1);
    const Eigen::MatrixXd more = L - SpringSheet(Stiffness::clamped).stiffness_at(early().x);
    EXPECT_GE(oracle::eigenvalues(more).minCoeff(), -1e-11);
    // A third of what full blocks hold: 2631 of 7893.
    EXPECT_EQ((L.array() != 0).count(), 2631);
    EXPECT_EQ(9 * (SpringSheet::count + 2 * Index(exact.springs.size())), 7893);
}

TEST(Newton, IsQuadraticWithTheExactMatrix) {
    EXPECT_EQ(iterations_to(Stiffness::exact, 0.01, {}), 3);
    EXPECT_EQ(iterations_to(Stiffness::exact, 0.04, {}), 5);

    // log|r| doubles: the error constant of one iteration is that of the next.
    double r[5];
    for (int i = 0; i < 5; ++i)
        r[i] = residual_after(Stiffness::exact, early(), 0.04, "newton", i + 1);
    EXPECT_NEAR(r[4] / r[3], 2.8e-7, 2e-7);
    EXPECT_GT(std::log(r[3] / r[2]) / std::log(r[2] / r[1]), 1.6);
    EXPECT_GT(std::log(r[4] / r[3]) / std::log(r[3] / r[2]), 1.6);
}

TEST(Newton, IsLinearWithTheClampedMatrix) {
    EXPECT_EQ(iterations_to(Stiffness::clamped, 0.01, {}), 6);
    EXPECT_EQ(iterations_to(Stiffness::clamped, 0.04, {}), 14);

    const auto rate = [](double h, int last) {
        return residual_after(Stiffness::clamped, early(), h, "newton", last) /
               residual_after(Stiffness::clamped, early(), h, "newton", last - 1);
    };
    EXPECT_NEAR(rate(0.01, 6), 0.06661, 1e-4);
    EXPECT_NEAR(rate(0.04, 14), 0.3452, 1e-3);
}

TEST(SimplifiedNewton, IsLinearForSmallStepsAndStallsForLargeOnes) {
    EXPECT_EQ(iterations_to(Stiffness::clamped, 0.01, {.type = "simplified"}), 7);
    EXPECT_NEAR(residual_after(Stiffness::clamped, early(), 0.01, "simplified", 7), 9.08e-10,
                2e-11);
    EXPECT_EQ(iterations_to(Stiffness::clamped, 0.0025, {.type = "simplified", .tolerance = 1e-6}),
              3);

    const StepReport stalled =
        step(Stiffness::clamped, early(), 0.04,
             {.type = "simplified", .max_iterations = 200, .line_search = false});
    EXPECT_EQ(stalled.solve.status, SolveStatus::max_iterations);
    EXPECT_NEAR(stalled.newton_residual, 0.06, 0.02);
    EXPECT_NE(stalled.solve.message.find("multiplied it by"), std::string::npos);
    // A line search gets it there.
    const StepReport searched =
        step(Stiffness::clamped, early(), 0.04, {.type = "simplified", .max_iterations = 200});
    EXPECT_TRUE(searched.ok()) << searched.solve.message;
}

TEST(SimplifiedNewton, WithTheLaplacianIsSlow) {
    // Iterations with linear tolerance 0.02 until |r| <= 1e-1, ..., 1e-4, 1e-6; 0: more than 150.
    const struct {
        double h;
        int to[5];
    } rows[] = {{0.0025, {2, 5, 9, 12, 20}},
                {0.005, {4, 14, 25, 37, 62}},
                {0.01, {11, 40, 77, 117, 0}},
                {0.04, {9, 118, 0, 0, 0}}};
    const double goals[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-6};
    for (const auto& [h, to] : rows)
        for (int i = 0; i < 5; ++i) {
            if (to[i] == 0) continue;
            const int taken = iterations_to(Stiffness::laplacian, h,
                                            {.type = "simplified",
                                             .max_iterations = 150,
                                             .tolerance = goals[i],
                                             .linear_tolerance = 0.02,
                                             .line_search = false});
            EXPECT_NEAR(taken, to[i], 1) << "h " << h << ", to " << goals[i];
        }

    // What an iteration leaves in the end.
    for (const auto& [h, rate, last] : {std::tuple{0.0025, 0.572, 30},
                                        {0.005, 0.840, 80},
                                        {0.01, 0.947, 150},
                                        {0.04, 0.987, 199}})
        EXPECT_NEAR(residual_after(Stiffness::laplacian, early(), h, "simplified", last) /
                        residual_after(Stiffness::laplacian, early(), h, "simplified", last - 1),
                    rate, 0.005)
            << h;

    const double after = residual_after(Stiffness::laplacian, early(), 0.01, "simplified", 199);
    EXPECT_NEAR(after, 1.14e-6, 0.02e-6);
    EXPECT_NEAR(after / residual_after(Stiffness::laplacian, early(), 0.01, "simplified", 198),
                0.9493, 5e-4);
}

TEST(InexactNewton, TradesIterationsForLinearOnes) {
    // Newton iterations and conjugate gradients in all, to 1e-8.
    struct Counts {
        double eta;
        int newton, linear;
    };
    const struct {
        const State& start;
        double h;
        Counts counts[4];
    } rows[] = {{early(), 0.0025, {{1e-6, 2, 16}, {0.02, 4, 12}, {0.1, 7, 14}, {0.5, 16, 16}}},
                {early(), 0.01, {{1e-6, 3, 78}, {0.02, 5, 46}, {0.1, 8, 49}, {0.5, 18, 46}}},
                {early(), 0.04, {{1e-6, 5, 335}, {0.02, 6, 145}, {0.1, 9, 156}, {0.5, 23, 169}}},
                {late(), 0.0025, {{1e-6, 2, 16}, {0.02, 5, 14}, {0.1, 7, 14}, {0.5, 16, 16}}},
                {late(), 0.01, {{1e-6, 3, 84}, {0.02, 5, 50}, {0.1, 8, 50}, {0.5, 24, 69}}},
                {late(), 0.04, {{1e-6, 5, 444}, {0.02, 6, 181}, {0.1, 8, 146}, {0.5, 22, 146}}}};
    for (const auto& [start, h, counts] : rows)
        for (const auto& [eta, newton, linear] : counts) {
            const StepReport report = step(Stiffness::exact, start, h,
                                           {.type = "inexact", .max_iterations = 50, .eta = eta});

            EXPECT_TRUE(report.ok()) << report.solve.message;
            EXPECT_NEAR(report.newton_iterations, newton, 1) << "h " << h << ", eta " << eta;
            EXPECT_NEAR(report.linear_iterations, linear, 2 + linear / 20)
                << "h " << h << ", eta " << eta;
        }
}

TEST(InexactNewton, WithTheClampedMatrixGainsNothingByTightSolves) {
    // The clamp limits the convergence: Newton iterations are those of exact solves, conjugate gradients
    // are not.
    const struct {
        double h, eta;
        int newton, linear;
    } rows[] = {{0.01, 0.02, 6, 54},   {0.01, 1e-6, 6, 157},  {0.01, 0.5, 20, 49},
                {0.04, 0.02, 14, 399}, {0.04, 1e-6, 14, 942}, {0.04, 0.5, 22, 164}};
    for (const auto& [h, eta, newton, linear] : rows) {
        const StepReport report = step(Stiffness::clamped, early(), h,
                                       {.type = "inexact", .max_iterations = 50, .eta = eta});

        EXPECT_TRUE(report.ok()) << report.solve.message;
        EXPECT_NEAR(report.newton_iterations, newton, 1) << "h " << h << ", eta " << eta;
        EXPECT_NEAR(report.linear_iterations, linear, 2 + linear / 20)
            << "h " << h << ", eta " << eta;
    }
    const StepReport simplified =
        step(Stiffness::clamped, early(), 0.01, {.type = "simplified", .linear_tolerance = 0.02});
    EXPECT_NEAR(simplified.newton_iterations, 7, 1);
    EXPECT_NEAR(simplified.linear_iterations, 65, 5);
}

TEST(Newton, OfTheExactMatrixIsOfAPositiveDefiniteOne) {
    // The least eigenvalue of M + h^2 K over the free vertices, at the start of the step, is far from zero
    // in each case that was measured: between 7.8e-4 and 2.5e-3.
    double least = 1;
    for (const State* at : {&early(), &late()})
        for (const double h : {0.0025, 0.01, 0.04}) {
            // Newton ends near where the step leads: its matrices are those of the end.
            State end = *at;
            SpringSheet sheet(Stiffness::exact);
            const auto euler =
                find_entry(integrators(), "integrator", "backward_euler").make(Settings());
            ASSERT_TRUE(euler->step(sheet, end, h).ok());
            Eigen::MatrixXd A = h * h * sheet.stiffness_at(end.x);
            A.diagonal().array() += SpringSheet::mass;
            std::vector<Eigen::Index> unknown;
            for (Index vertex = 0; vertex < SpringSheet::count; ++vertex)
                for (Eigen::Index i = 0; i < 3; ++i)
                    if (!SpringSheet::held(vertex)) unknown.push_back(3 * vertex + i);
            least = std::min(least, oracle::eigenvalues(A(unknown, unknown)).minCoeff());
        }
    EXPECT_GT(least, 5e-4);
    EXPECT_LT(least, 2.5e-3);
}

TEST(FixedPoints, ContractOnlyWhereTheStepIsShort) {
    // v <- v0 + h M^-1 f(x0 + h v) multiplies a difference by h^2 lambda_max(M^-1 K), the more the stiffer:
    // what Newton's method is for.
    for (const auto& [k, factor] :
         {std::pair{1e-3, 0.015}, {1e-2, 0.152}, {1e-1, 1.516}, {1.0, 15.159}}) {
        SpringSheet sheet;
        sheet.k = k;
        const State& start = early();
        const double h = 0.01;
        VecX base, f, difference = VecX::Zero(sheet.size());
        for (Eigen::Index i = 0; i < difference.size(); ++i)
            difference[i] = std::sin(1.7 * double(i));
        sheet.project(difference);
        sheet.force(0, start.x, start.v, base);
        double ratio = 0;
        for (int i = 0; i < 400; ++i) {
            // Small enough to be the difference of two iterates by the slope at one place.
            difference *= 1e-6 / difference.norm();
            sheet.force(0, start.x + h * difference, start.v, f);
            f = h / SpringSheet::mass * (f - base);
            sheet.project(f);
            ratio = f.norm() / difference.norm();
            difference = f;
        }

        EXPECT_NEAR(ratio, factor, 0.02 * factor) << k;
    }
}

TEST(InexactNewton, BecomesExactAsTheResidualFalls) {
    // Eisenstat and Walker's second choice converges faster than linearly, but wastes no more
    // conjugate gradients than a tight tolerance does from the start.
    for (const double h : {0.01, 0.04}) {
        const StepReport tight =
            step(Stiffness::exact, early(), h, {.type = "inexact", .eta = 1e-6});
        const StepReport loose = step(Stiffness::exact, early(), h,
                                      {.type = "inexact", .max_iterations = 50, .eta = 0.5});
        const StepReport adaptive = step(
            Stiffness::exact, early(), h,
            {.type = "inexact", .max_iterations = 50, .forcing = "eisenstat_walker", .eta = 0.5});

        EXPECT_TRUE(adaptive.ok()) << adaptive.solve.message;
        EXPECT_LT(adaptive.linear_iterations, 0.8 * tight.linear_iterations);
        EXPECT_LT(adaptive.newton_iterations, 0.6 * loose.newton_iterations);
    }
}

TEST(Newton, NeedsMoreIterationsForLargerSteps) {
    const double steps[] = {1. / 400, 1. / 200, 1. / 100, 1. / 50, 1. / 25, 1. / 12};
    const int newton[] = {3, 4, 5, 7, 10, 28}, linear[] = {9, 20, 46, 110, 279, 942};
    int before = 0;
    for (int i = 0; i < 6; ++i) {
        const StepReport report =
            step(Stiffness::clamped, early(), steps[i],
                 {.type = "inexact", .max_iterations = 60, .tolerance = 1e-6});
        EXPECT_TRUE(report.ok()) << report.solve.message;
        EXPECT_NEAR(report.newton_iterations, newton[i], i == 5 ? 3 : 1);
        EXPECT_NEAR(report.linear_iterations, linear[i], 2 + linear[i] / 10);
        EXPECT_GE(report.newton_iterations, before);
        before = report.newton_iterations;
    }
}

TEST(Newton, StopsAtTheRoundingFloorOfItsResidual) {
    // At h w = 1e5 the terms of x = xp + alpha a cancel: the residual cannot fall to 1e-13 k.
    const double w = 1e5;
    for (const char* key : {"backward_euler", "implicit_midpoint", "trapezoid", "sdirk2"}) {
        Problem problem = oscillator(w * w, 0);
        problem.start = {0, scalar(1), scalar(w)};
        problem.system.scale = w * w;
        State state = problem.start;
        const auto integrator = find_entry(integrators(), "integrator", key).make(Settings());
        integrator->set_newton({.tolerance = 1e-15});

        const StepReport report = integrator->step(problem.system, state, 1);

        EXPECT_TRUE(report.ok()) << key << ": " << report.solve.message;
        EXPECT_GT(report.newton_floor, 1e-15) << key;
        EXPECT_LE(report.newton_residual, report.newton_floor) << key;
        // A few roundings of K xp; the force at the start is in the predictor of the trapezoid.
        const double predicted = std::string(key) == "trapezoid" ? w * w / 4 : 2 * w;
        EXPECT_LE(report.newton_floor, 16 * 2.3e-16 * predicted) << key;
        EXPECT_LE(report.newton_iterations, 8) << key;
    }
}

TEST(Newton, ReachesItsGoalAboveTheFloorWithoutMentioningIt) {
    Problem problem = pendulum();
    State state = problem.start;

    const StepReport report = fresh(find_entry(integrators(), "integrator", "backward_euler"))
                                  ->step(problem.system, state, 0.1);

    EXPECT_TRUE(report.ok());
    EXPECT_LE(report.newton_residual, 1e-13);
    EXPECT_EQ(report.newton_floor, 0);
}

TEST(Newton, AtRestWithoutAForceScaleIsDone) {
    // The first residual is nothing but rounding: no goal relative to it could be met.
    Problem problem = oscillator(1e4, 0);
    problem.system.of = [](double, const VecX& x, const VecX&) -> VecX {
        return scalar(1e4 * (0.3 - 3 * x[0]));
    };
    problem.system.scale = 0;
    State state{0, scalar(0.1), scalar(0)};

    const StepReport report = fresh(find_entry(integrators(), "integrator", "backward_euler"))
                                  ->step(problem.system, state, 1);

    EXPECT_TRUE(report.ok()) << report.solve.message;
    EXPECT_NEAR(state.x[0], 0.1, 1e-15);
}

TEST(SimplifiedNewton, ThatDivergesSaysSoAndLeavesTheStateAlone) {
    // f = 10 - x - 1000 x^3: with the slope -1 at rest the first iterate is far beyond the end.
    Problem problem = oscillator(0, 0);
    problem.system.of = [](double, const VecX& x, const VecX&) -> VecX {
        return scalar(10 - x[0] - 1000 * std::pow(x[0], 3));
    };
    problem.system.scale = 0;
    const auto euler = find_entry(integrators(), "integrator", "backward_euler").make(Settings());
    State state{0, scalar(0), scalar(0)};

    euler->set_newton({.type = "simplified", .line_search = false});
    const StepReport diverged = euler->step(problem.system, state, 1);

    EXPECT_EQ(diverged.solve.status, SolveStatus::breakdown);
    EXPECT_NE(diverged.solve.message.find("diverges"), std::string::npos);
    EXPECT_LE(diverged.newton_iterations, 3);
    EXPECT_EQ(state.t, 0);
    EXPECT_EQ(state.x[0], 0);
    EXPECT_EQ(state.v[0], 0);
    euler->set_newton({.type = "newton", .max_iterations = 50});
    EXPECT_TRUE(euler->step(problem.system, state, 1).ok());
}

}  // namespace
}  // namespace taffeta::ode

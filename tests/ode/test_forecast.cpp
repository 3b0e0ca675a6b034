#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "ode/problems.h"
#include "taffeta/ode/adaptive.h"
#include "taffeta/ode/stage.h"

/// What Newton begins with and when it may end before a residual proves it: guesses from the past, and
/// changes measured by the tolerance of the step.
namespace taffeta::ode {
namespace {

using namespace testing;

std::unique_ptr<Integrator> method(std::string_view key) {
    return find_entry(integrators(), "integrator", key).make(Settings());
}

/// x'' = t^n from rest: v is a polynomial of degree n + 1.
Problem power_force(int n) {
    Problem problem = oscillator(0, 0);
    problem.system.of = [=](double t, const VecX&, const VecX&) -> VecX {
        return scalar(std::pow(t, n));
    };
    problem.start = {0, scalar(0), scalar(0)};
    return problem;
}

TEST(Forecast, IsExactForTheVelocitiesThatItsFormulaFollows) {
    // Past points of the method, and whether the polynomial goes through slopes: its degree in v.
    const struct {
        const char* key;
        int degree;
    } methods[] = {{"bdf2", 2},           {"bdf3", 2},           {"bdf4", 3},
                   {"bdf5", 4},           {"bdf6", 5},           {"adams_moulton3", 2},
                   {"adams_moulton4", 3}, {"adams_moulton5", 4}, {"adams_moulton6", 5}};
    for (const auto& [key, degree] : methods) {
        const auto& entry = find_entry(integrators(), "integrator", key);
        for (const int more : {0, 1}) {
            Problem problem = power_force(degree - 1 + more);
            const auto integrator = method(key);
            integrator->set_newton({.tolerance = 1e-10});
            for (int i = 0; i < entry.properties.starting_steps + 1; ++i)
                ASSERT_TRUE(integrator->step(problem.system, problem.start, 0.1).ok()) << key;

            const StepReport report = integrator->step(problem.system, problem.start, 0.1);

            // Nothing is left to do; one degree more, and the force, that no x or v has part in, takes
            // one iteration.
            EXPECT_EQ(report.newton_iterations, more) << key;
            EXPECT_EQ(report.force_evaluations, 1 + more + entry.properties.force_evaluations)
                << key;
        }
    }
}

/// Backward Euler's stage for x'' = f from (x, v) with h = 1, so that x = x_0 + v_0 + a.
Stage unit_stage(double x, double v) {
    return {.t = 1, .h = 1, .alpha = 1, .beta = 1, .xp = scalar(x + v), .vp = scalar(v)};
}

TEST(Forecast, AGuessThatLeadsNowhereIsForgotten) {
    // f is no number beyond 10, where the guess is.
    DenseSystem system(scalar(1), [](double, const VecX& x, const VecX&) -> VecX {
        return scalar(x[0] > 10 ? std::nan("") : -x[0] * x[0] * x[0]);
    });
    const Stage stage = unit_stage(1, 1);
    StageSolver solver;
    VecX plain, guessed;
    const StepReport without = solver.solve_newton(system, stage, {}, plain);
    ASSERT_TRUE(without.ok());
    const VecX guess = scalar(100);
    system.evaluations = 0;

    const StepReport with = solver.solve_newton(system, stage, {}, guessed, {.guess = &guess});

    EXPECT_TRUE(with.ok()) << with.solve.message;
    EXPECT_EQ(guessed, plain);
    EXPECT_EQ(with.force_evaluations, system.evaluations);
    EXPECT_EQ(with.force_evaluations, without.force_evaluations + 1);
    EXPECT_EQ(with.newton_iterations, without.newton_iterations);
}

TEST(Forecast, WithoutAForceScaleAGoodGuessIsNoTighterGoal) {
    // a = -x = -(2 + a), a = -1. The residual of the guess is 2e-9 of the forces, so done at 1e-8.
    Problem problem = oscillator(1, 0);
    problem.system.scale = 0;
    const VecX guess = scalar(-1 + 1e-9);
    StageSolver solver;
    VecX a;

    const StepReport report =
        solver.solve_newton(problem.system, unit_stage(1, 1), {}, a, {.guess = &guess});

    EXPECT_EQ(report.newton_iterations, 0);
    EXPECT_NEAR(report.newton_residual, 2e-9, 1e-11);
}

/// x'' = -x whose slope is said to be q/(1 - q) more than it is: Newton's iteration leaves the part q of
/// an error each time. M + alpha K = 2, said to be 2/(1 - q).
class Misjudged final : public SecondOrderSystem {
  public:
    explicit Misjudged(double rate) : slope_(2 / (1 - rate) - 1) {}

    int evaluations = 0;

    Eigen::Index size() const override { return 1; }
    void force(double, const VecX& x, const VecX&, VecX& f) override {
        ++evaluations;
        f = -x;
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f;
        return {};
    }
    void linearize(double, const VecX&, const VecX&, VecX*) override {}
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        out = (c.m + c.k * slope_) * u;
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double, VecX& u) override {
        u = rhs / (c.m + c.k * slope_);
        return {};
    }
    double force_scale() const override { return 1; }

  private:
    double slope_;
};

TEST(ChangeTest, EndsNewtonWhereItsErrorIsBelowThePartOfTheTolerance) {
    // a = -1 from 0, with errors q, q^2, ..; the change of iteration k is q^(k-1) (1 - q).
    const ErrorScale scale{.position = 1e-3, .velocity = 1e-3};
    const double rates[] = {0.1, 0.3, 0.6};
    for (const double q : rates) {
        Misjudged system(q);
        StageSolver solver;
        double rate = 1;
        VecX a;

        const StepReport report =
            solver.solve_newton(system, unit_stage(1, 1), {.tolerance = 1e-14}, a,
                                {.scale = &scale, .allowed = 0.1, .rate = &rate});

        ASSERT_TRUE(report.ok());
        // The first k with q q^(k-1) (1 - q) <= 1e-4, by the rate of the two changes before.
        const int expected = int(std::ceil(std::log(1e-4 / (1 - q)) / std::log(q)));
        EXPECT_EQ(report.newton_iterations, expected) << q;
        EXPECT_EQ(report.force_evaluations, expected) << q;
        EXPECT_EQ(system.evaluations, expected) << q;
        EXPECT_NEAR(std::abs(a[0] + 1), std::pow(q, expected), 1e-12) << q;
        EXPECT_NEAR(rate, q, 1e-9) << q;
    }
}

TEST(ChangeTest, TrustsARateTheLessTheLongerAgoItWasSeen) {
    const ErrorScale scale{.position = 1, .velocity = 1};
    double rate = 0.01;
    int looked = 0;
    for (int stage = 0; stage < 20; ++stage) {
        Misjudged system(0.01);
        StageSolver solver;
        VecX a;
        const double before = rate;

        const StepReport report =
            solver.solve_newton(system, unit_stage(1, 1), {.tolerance = 1e-14}, a,
                                {.scale = &scale, .allowed = 0.02, .rate = &rate});

        if (report.newton_iterations == 1) {
            EXPECT_DOUBLE_EQ(rate, 1.2 * before);
        } else {
            ++looked;
            EXPECT_EQ(report.newton_iterations, 2);
            EXPECT_NEAR(rate, 0.01, 1e-9);
        }
    }
    // The change of 0.99 passes while the rate is below 0.0202: four times, and then not.
    EXPECT_EQ(looked, 4);
}

TEST(ChangeTest, KnowsNothingOfARateAtFirst) {
    const ErrorScale scale{.position = 1e-3, .velocity = 1e-3};
    double rate = 1;
    Misjudged exact(0);
    StageSolver solver;
    VecX a;

    const StepReport report = solver.solve_newton(exact, unit_stage(1, 1), {}, a,
                                                  {.scale = &scale, .allowed = 0.1, .rate = &rate});

    // One iteration is exact, which the residual then proves.
    EXPECT_EQ(report.newton_iterations, 1);
    EXPECT_EQ(report.force_evaluations, 2);
    EXPECT_NEAR(rate, 0.3, 1e-12);
}

TEST(ErrorScale, IsTheMeanOverPlacesAndVelocities) {
    const ErrorScale scale{.relative = 0.1, .position = 1, .velocity = 0, .run_length = 8};
    const State begin{0, VecX::Constant(2, -10), VecX::Zero(2)};
    const State end{1, VecX::Constant(2, 5), VecX::Constant(2, 20)};
    VecX x(2), v(2);
    x << 4, 0;
    v << 6, 0;

    // 4 over 1 + 0.1 * 10, and 6 over 2
    EXPECT_DOUBLE_EQ(scale.norm(x, v, begin, end), std::sqrt((4. + 9.) / 4));
    EXPECT_DOUBLE_EQ(scale.norm(1, 1.5, x, begin.x, end.v), std::sqrt((4. + 9.) / 4));
    EXPECT_DOUBLE_EQ(scale.per_step(2), 4);
    EXPECT_DOUBLE_EQ(ErrorScale{}.per_step(2), 1);
    // What does not err is right also where nothing is allowed.
    EXPECT_EQ(scale.norm(VecX::Zero(2), VecX::Zero(2), begin, begin), 0);
    EXPECT_FALSE(ErrorScale{});
    EXPECT_TRUE(scale);
}

/// Steps of bdf2 under error control; what its forces cost.
AdaptiveReport controlled(Problem problem, double tolerance, State& end) {
    AdaptiveOptions options;
    options.relative_tolerance = 0;
    options.absolute_position = options.absolute_velocity = tolerance;
    const auto& entry = find_entry(integrators(), "integrator", "bdf2");
    const auto integrator = entry.make(Settings());
    integrator->set_newton({.tolerance = 1e-12});
    end = problem.start;
    return AdaptiveRun(*integrator, entry.properties, options)
        .run(problem.system, end, {{problem.end}}, [](const State&) {});
}

TEST(AdaptiveBdf2, TakesLittleMoreThanOneForceAStep) {
    for (Problem problem : {pendulum(), driven(), chain(0.5)}) {
        problem.end = problem.start.t + 10;
        State end;
        const AdaptiveReport report = controlled(problem, 1e-5, end);

        ASSERT_TRUE(report.ok()) << problem.name;
        const double tries = double(report.accepted + report.rejected);
        EXPECT_LE(double(report.force_evaluations), 1.3 * tries + 10) << problem.name;
        EXPECT_LE(double(report.rejected), 0.05 * tries) << problem.name;
    }
}

TEST(AdaptiveBdf2, IsAsGoodAsWithStagesThatAreSolvedToTheEnd) {
    // The same steps without knowing the tolerance: fixed ones as long as those of the run.
    Problem problem = pendulum();
    problem.system.of = [](double, const VecX& x, const VecX&) -> VecX { return -2 * x; };
    const State exact = reference(problem);
    State loose;
    ASSERT_TRUE(controlled(problem, 1e-5, loose).ok());
    AdaptiveOptions options;
    options.relative_tolerance = 0;
    options.absolute_position = options.absolute_velocity = 1e-5;
    StepControl control(options);
    control.start(1e-3);
    const auto integrator = fresh(find_entry(integrators(), "integrator", "bdf2"));
    State state = problem.start;
    while (state.t < problem.end) {
        const State begin = state;
        const double left = problem.end - state.t, h = control.step(*integrator, left);
        const std::vector<char> memory = integrator->save();
        const StepReport step = integrator->step(problem.system, state, h);
        ASSERT_TRUE(step.ok());
        if (!control.accept(*integrator, step, begin, state, h, problem.end)) {
            state = begin;
            integrator->load(memory);
        } else if (h == left) {
            state.t = problem.end;
        }
    }

    EXPECT_LE(distance(loose, exact), 1.5 * distance(state, exact));
}

TEST(AdaptiveBdf2, ResumesWithTheSameBitsUnderATolerance) {
    Problem problem = chain(0.5);
    const auto first = method("bdf2"), second = method("bdf2");
    const ErrorScale scale{.position = 1e-3, .velocity = 1e-3};
    first->set_error_scale(scale);
    second->set_error_scale(scale);
    for (int i = 0; i < 7; ++i)
        ASSERT_TRUE(first->step(problem.system, problem.start, 0.05).ok());
    State other = problem.start;

    second->load(first->save());
    for (int i = 0; i < 7; ++i) {
        const StepReport a = first->step(problem.system, problem.start, 0.05);
        const StepReport b = second->step(problem.system, other, 0.05);
        EXPECT_EQ(a.force_evaluations, b.force_evaluations) << i;
    }

    EXPECT_EQ(problem.start.x, other.x);
    EXPECT_EQ(problem.start.v, other.v);
}

}  // namespace
}  // namespace taffeta::ode

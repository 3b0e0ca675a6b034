#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ode/problems.h"
#include "taffeta/ode/adaptive.h"
#include "taffeta/ode/first_order.h"

/// Adaptive runs: the tolerance is met, failures and rejections lose nothing, outputs are exact.
namespace taffeta::ode {
namespace {

using namespace testing;

const IntegratorEntry& entry_of(std::string_view key) {
    return find_entry(integrators(), "integrator", key);
}

/// A linear problem whose motion is known.
struct Known {
    Problem problem;
    std::function<State(double)> exact;
};

/// y'' = -2.5 y - 5 y', (0, 1): a slow and a fast exponential
Known overdamped() {
    Problem problem = oscillator(2.5, 5);
    problem.start = {0, scalar(0), scalar(1)};
    problem.end = 10;
    const double root = std::sqrt(15.0), slow = (-5 + root) / 2, fast = (-5 - root) / 2;
    return {problem, [=](double t) -> State {
                const double p = std::exp(slow * t), q = std::exp(fast * t);
                return {t, scalar((p - q) / root), scalar((slow * p - fast * q) / root)};
            }};
}

/// z'' = -1000 z - 10 z' - 1010, (-1, -5): a fast vibration that dies out
Known damper() {
    Problem problem = oscillator(1000, 10);
    problem.system.of = [](double, const VecX& x, const VecX& v) -> VecX {
        return scalar(-1000 * x[0] - 10 * v[0] - 1010);
    };
    problem.start = {0, scalar(-1), scalar(-5)};
    problem.end = 2;
    const double w = std::sqrt(975.0);
    return {problem, [=](double t) -> State {
                const double c = std::cos(w * t), s = std::sin(w * t), p = 0.01, q = -4.95 / w;
                return {t, scalar(-1.01 + std::exp(-5 * t) * (p * c + q * s)),
                        scalar(std::exp(-5 * t) * ((-5 * p + w * q) * c + (-5 * q - w * p) * s))};
            }};
}

Known spring() {
    Problem problem = oscillator(5, 0);
    problem.start = {0, scalar(1), scalar(0)};
    problem.end = 10;
    const double w = std::sqrt(5.0);
    return {problem, [=](double t) -> State {
                return {t, scalar(std::cos(w * t)), scalar(-w * std::sin(w * t))};
            }};
}

AdaptiveOptions with_tolerance(double tolerance) {
    AdaptiveOptions options;
    options.relative_tolerance = 0;
    options.absolute_position = options.absolute_velocity = tolerance;
    options.per_run = true;
    return options;
}

/// The root mean square of x and v, as the tolerance is.
double error_of(const State& a, const State& b) {
    return distance(a, b) / std::sqrt(2.0 * double(a.x.size()));
}

class EveryAdaptiveIntegrator : public ::testing::TestWithParam<const IntegratorEntry*> {};

TEST_P(EveryAdaptiveIntegrator, MeetsTheToleranceOnTextbookProblems) {
    for (const auto& make_known : {overdamped, damper, spring})
        for (const double tolerance : {1e-3, 1e-5}) {
            Known known = make_known();
            const auto integrator = fresh(*GetParam());
            State state = known.problem.start;
            AdaptiveRun run(*integrator, GetParam()->properties, with_tolerance(tolerance));

            const AdaptiveReport report =
                run.run(known.problem.system, state, {{known.problem.end}}, [](const State&) {});

            ASSERT_TRUE(report.ok()) << report.solve.message;
            EXPECT_EQ(state.t, known.problem.end);
            EXPECT_LE(error_of(state, known.exact(state.t)), 3 * tolerance)
                << tolerance << ' ' << report.accepted;
            EXPECT_LE(report.largest_error, 1);
            EXPECT_LE(report.rejected, 0.2 * double(report.accepted) + 5);
        }
}

TEST_P(EveryAdaptiveIntegrator, AddsUpNoMoreThanTheTolerancesOfItsSteps) {
    // Without `per_run` the tolerance is that of a step. These motions do not enlarge what a step errs.
    for (const auto& make_known : {overdamped, damper, spring})
        for (const double tolerance : {1e-3, 1e-5}) {
            Known known = make_known();
            const auto integrator = fresh(*GetParam());
            State state = known.problem.start;
            AdaptiveOptions options = with_tolerance(tolerance);
            options.per_run = false;
            AdaptiveRun run(*integrator, GetParam()->properties, options);

            const AdaptiveReport report =
                run.run(known.problem.system, state, {{known.problem.end}}, [](const State&) {});

            ASSERT_TRUE(report.ok()) << report.solve.message;
            EXPECT_LE(report.largest_error, 1);
            EXPECT_LE(error_of(state, known.exact(state.t)), double(report.accepted) * tolerance)
                << known.problem.name << ' ' << tolerance << ' ' << report.accepted;
        }
}

TEST(Adaptive, TheTolerancesOfStepsAreNotThatOfTheRun) {
    // What `per_run` is for: by the step, an undamped spring ends many tolerances away.
    Known known = spring();
    AdaptiveOptions options = with_tolerance(1e-5);
    options.per_run = false;
    for (const char* key : {"bdf2", "bogacki_shampine32"}) {
        const auto integrator = fresh(entry_of(key));
        State state = known.problem.start;
        AdaptiveRun run(*integrator, entry_of(key).properties, options);

        ASSERT_TRUE(run.run(known.problem.system, state, {{10.0}}, [](const State&) {}).ok());

        EXPECT_GE(error_of(state, known.exact(10)), 10 * 1e-5) << key;
    }
}

TEST_P(EveryAdaptiveIntegrator, TakesMoreStepsForLessErrorByItsOrder) {
    // With the tolerance per run, the steps grow as tolerance^(1/(power - 1)).
    Known known = spring();
    const auto steps = [&](double tolerance) {
        const auto integrator = fresh(*GetParam());
        State state = known.problem.start;
        AdaptiveRun run(*integrator, GetParam()->properties, with_tolerance(tolerance));
        return double(run.run(known.problem.system, state, {{10.0}}, [](const State&) {}).accepted);
    };
    const auto integrator = fresh(*GetParam());
    for (int i = 0; i <= GetParam()->properties.starting_steps; ++i)
        integrator->step(known.problem.system, known.problem.start, 0.01);
    const double power = integrator->local_error()->power - 1;

    EXPECT_NEAR(std::log10(steps(1e-6) / steps(1e-4)), 2 / power, 0.5 / power);
}

TEST_P(EveryAdaptiveIntegrator, TakesRejectedAndFailedStepsBackWhole) {
    // The same run with a force that is not finite now and then ends where a run without does.
    Problem problem = pendulum();
    const State exact = reference(problem);
    const auto integrator = fresh(*GetParam());
    State state = problem.start;
    const IntegratorProperties& properties = GetParam()->properties;
    const double tolerance = properties.order > 3 ? 1e-9 : 1e-5;
    const int period = properties.order > 3 ? 149 : 29;
    int calls = 0;
    const auto force = problem.system.of;
    problem.system.of = [&, force](double t, const VecX& x, const VecX& v) -> VecX {
        if (++calls % period == 0) return scalar(std::nan(""));
        return force(t, x, v);
    };
    AdaptiveOptions options = with_tolerance(tolerance);
    options.first_step = 3;  // far too long

    const AdaptiveReport report =
        AdaptiveRun(*integrator, GetParam()->properties, options)
            .run(problem.system, state, {{problem.end}}, [](const State&) {});

    ASSERT_TRUE(report.ok()) << report.solve.message;
    EXPECT_GE(report.failed, 1);
    EXPECT_GE(report.rejected, 1);
    EXPECT_LE(error_of(state, exact), 3 * tolerance);
}

std::vector<const IntegratorEntry*> that_estimate_their_error() {
    std::vector<const IntegratorEntry*> entries;
    for (const IntegratorEntry* entry : integrators())
        if (entry->properties.estimates_error) entries.push_back(entry);
    return entries;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryAdaptiveIntegrator,
                         ::testing::ValuesIn(that_estimate_their_error()),
                         [](const auto& tested) { return std::string(tested.param->key); });

TEST(Adaptive, CountsTheForcesOfAPairThatPassesItsLastOn) {
    for (const auto& [key, stages] :
         {std::pair<const char*, int>{"bogacki_shampine32", 4}, {"dormand_prince54", 7}}) {
        for (const bool persists : {true, false}) {
            Problem problem = pendulum();
            problem.system.persists = persists;
            const auto integrator = fresh(entry_of(key));
            State state = problem.start;
            AdaptiveOptions options;
            options.first_step = 0.01;

            const AdaptiveReport report =
                AdaptiveRun(*integrator, entry_of(key).properties, options)
                    .run(problem.system, state, {{3.0}}, [](const State&) {});

            // Passed on, the first force is new only in the first step; after a rejection the step
            // begins where the last accepted one ended, and has its force still.
            const long tries = report.accepted + report.rejected;
            const long expected = persists ? tries * (stages - 1) + 1 : tries * stages;
            EXPECT_EQ(report.force_evaluations, expected) << key;
            EXPECT_EQ(problem.system.evaluations, expected) << key;
        }
    }
}

TEST(Adaptive, OutputsAreMetExactlyAndChangeNoStep) {
    Known known = spring();
    const auto run = [&](const std::vector<double>& times, std::vector<State>& found) {
        const auto integrator = fresh(entry_of("dormand_prince54"));
        State state = known.problem.start;
        AdaptiveRun adaptive(*integrator, entry_of("dormand_prince54").properties,
                             with_tolerance(1e-5));
        const AdaptiveReport report = adaptive.run(known.problem.system, state, times,
                                                   [&](const State& at) { found.push_back(at); });
        return std::pair(report, state);
    };
    std::vector<double> many{0};
    for (int i = 1; i <= 300; ++i)
        many.push_back(10.0 * i / 300);
    std::vector<State> few_states, states;

    const auto [few, few_end] = run({10}, few_states);
    const auto [report, end] = run(many, states);

    ASSERT_EQ(states.size(), many.size());
    for (std::size_t i = 0; i < many.size(); ++i) {
        EXPECT_EQ(states[i].t, many[i]);
        EXPECT_LE(error_of(states[i], known.exact(many[i])), 3e-5) << many[i];
    }
    EXPECT_EQ(end.x, few_end.x);
    EXPECT_EQ(end.v, few_end.v);
    EXPECT_EQ(report.accepted, few.accepted);
    EXPECT_LT(report.accepted, 250);
}

/// Passes everything on and keeps the sizes of the steps.
class Recording final : public Integrator {
  public:
    explicit Recording(Integrator& of) : of_(of) {}
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        const StepReport report = of_.step(system, state, h);
        sizes.push_back(h);
        powers.push_back(of_.local_error()->power);
        return report;
    }
    const VecX& acceleration() const override { return of_.acceleration(); }
    const ErrorEstimate* local_error() const override { return of_.local_error(); }
    double largest_growth() const override { return of_.largest_growth(); }
    std::vector<char> save() const override { return of_.save(); }
    void load(std::span<const char> bytes) override {  // a step is taken back
        of_.load(bytes);
        sizes.pop_back();
        powers.pop_back();
    }

    std::vector<double> sizes;
    std::vector<int> powers;

  private:
    Integrator& of_;
};

TEST(Adaptive, NeverLetsBdf2GrowPastItsZeroStability) {
    // A motion that fades asks for steps that grow without end. A new start would show as a step of
    // SDIRK2, whose estimate has power two.
    Known known = overdamped();
    const auto bdf2 = fresh(entry_of("bdf2"));
    Recording recording(*bdf2);
    State state = known.problem.start;
    AdaptiveOptions options;
    options.relative_tolerance = 0.01;
    options.largest_growth = 100;

    const AdaptiveReport report =
        AdaptiveRun(recording, entry_of("bdf2").properties, options)
            .run(known.problem.system, state, {{1e4}}, [](const State&) {});

    ASSERT_TRUE(report.ok()) << report.solve.message;
    double most = 0;
    for (std::size_t i = 1; i < recording.sizes.size(); ++i) {
        most = std::max(most, recording.sizes[i] / recording.sizes[i - 1]);
        EXPECT_EQ(recording.powers[i], 3) << i;
    }
    EXPECT_GT(most, 2);
    EXPECT_LT(most, 1 + std::sqrt(2.0));
}

TEST(Adaptive, NewtonCountsMakeTheStep) {
    // A chain that is stretched hard: few iterations for small steps, more for long ones.
    Problem problem = chain(0.5);
    problem.start.x *= 1.5;
    for (const char* key : {"backward_euler", "radau_iia5", "bdf2"}) {
        const auto integrator = fresh(entry_of(key));
        integrator->set_newton({.tolerance = 1e-8});
        State state = problem.start;
        AdaptiveOptions options;
        options.control = "newton";
        options.first_step = 1e-4;
        options.largest_step = 10;

        const AdaptiveReport report =
            AdaptiveRun(*integrator, entry_of(key).properties, options)
                .run(problem.system, state, {{20.0}}, [](const State&) {});

        ASSERT_TRUE(report.ok()) << key << report.solve.message;
        EXPECT_GT(report.largest_step, 100 * options.first_step) << key;
        const double per_step = double(report.newton_iterations) / double(report.accepted);
        EXPECT_GT(per_step, 2) << key;
        EXPECT_LT(per_step, 8) << key;
    }
}

TEST(Adaptive, StopsAndSaysWhyWhereNoStepIsSmallEnough) {
    Problem problem = pendulum();
    const auto force = problem.system.of;
    problem.system.of = [=](double t, const VecX& x, const VecX& v) -> VecX {
        return t > 1 ? scalar(std::nan("")) : force(t, x, v);
    };
    const auto integrator = fresh(entry_of("dormand_prince54"));
    State state = problem.start;

    const AdaptiveReport report =
        AdaptiveRun(*integrator, entry_of("dormand_prince54").properties, {})
            .run(problem.system, state, {{3.0}}, [](const State&) {});

    EXPECT_FALSE(report.ok());
    EXPECT_NE(report.solve.message.find("below the smallest"), std::string::npos);
    EXPECT_NEAR(state.t, 1, 1e-6);
    EXPECT_TRUE(state.x.allFinite());
}

TEST(Adaptive, HasADefaultThatEstimatesItsErrorAndDampsWhatIsStiff) {
    const IntegratorProperties& properties = entry_of(default_adaptive_integrator).properties;

    EXPECT_TRUE(properties.estimates_error);
    EXPECT_TRUE(properties.l_stable);
}

TEST(Adaptive, RefusesWhatItCannotControl) {
    Problem problem = pendulum();
    State state = problem.start;
    const auto rk4 = fresh(entry_of("rk4"));
    AdaptiveOptions by_newton, none, crossed, limits;
    by_newton.control = "newton";
    none.relative_tolerance = none.absolute_position = none.absolute_velocity = 0;
    crossed.grow_at = crossed.shrink_at = 4;
    limits.largest_step = 1e-12;
    const auto make = [&](const AdaptiveOptions& options) {
        return AdaptiveRun(*rk4, entry_of("rk4").properties, options);
    };

    EXPECT_THROW(make(by_newton), Error);
    EXPECT_THROW(make(none), Error);
    EXPECT_THROW(make(crossed), Error);
    EXPECT_THROW(make(limits), Error);
    EXPECT_THROW(make({}).run(problem.system, state, {{1.0}}, [](const State&) {}), Error);
    EXPECT_THROW(make({}).run(problem.system, state, {{2.0, 1.0}}, [](const State&) {}), Error);
}

TEST(DenseOutput, IsOfOrderSixInPositionAndFiveInVelocity) {
    // x = sin t, exact at both ends.
    DenseSystem system(scalar(1), [](double, const VecX& x, const VecX&) -> VecX { return -x; });
    const auto exact = [](double t) -> State {
        return {t, scalar(std::sin(t)), scalar(std::cos(t))};
    };
    const auto error = [&](double h, double theta) {
        const State begin = exact(0.4), end = exact(0.4 + h);
        DenseOutput dense;
        int forces = 0;
        EXPECT_TRUE(dense.set(system, begin, end, forces).ok());
        EXPECT_EQ(forces, 2);
        State found;
        dense.interpolate(theta, found);
        const State expected = exact(0.4 + theta * h);
        EXPECT_NEAR(found.t, expected.t, 1e-15);
        return std::pair(std::abs(found.x[0] - expected.x[0]),
                         std::abs(found.v[0] - expected.v[0]));
    };

    for (const double theta : {0.2, 0.3, 0.9}) {
        const auto [x, v] = error(0.2, theta);
        const auto [fine_x, fine_v] = error(0.1, theta);
        EXPECT_NEAR(std::log2(x / fine_x), 6, 0.25) << theta;
        EXPECT_NEAR(std::log2(v / fine_v), 5, 0.25) << theta;
    }
    // h^6 x^(6) s^3 (1 - s)^3/720 in the middle of the step
    const double leading = std::pow(0.2, 6) * std::sin(0.5) / (64 * 720);
    EXPECT_NEAR(error(0.2, 0.5).first / leading, 1, 0.02);
    EXPECT_EQ(error(0.2, 0).first, 0);
    EXPECT_EQ(error(0.2, 1).first, 0);
}

}  // namespace
}  // namespace taffeta::ode

#include <gtest/gtest.h>

#include "ode/problems.h"
#include "taffeta/ode/study/order_search.h"

/// What every registered integrator declares about itself, measured: order and force evaluations
/// (stability and symplecticity are in every_integrator_stability.cpp); and what all promise:
/// failures and checkpoints lose nothing, constraints hold.
namespace taffeta::ode {
namespace {

using namespace testing;

class EveryIntegrator : public ::testing::TestWithParam<const IntegratorEntry*> {
  protected:
    const IntegratorEntry& entry() const { return *GetParam(); }
    const IntegratorProperties& properties() const { return entry().properties; }
    std::unique_ptr<Integrator> make() const { return fresh(entry()); }
    int order_on(const Problem& problem) const {
        const bool lower = problem.damped && properties().damped_order > 0;
        return lower ? properties().damped_order : properties().order;
    }
    /// log2 of the ratio of the errors at the end with some and with twice as many steps. Up to order
    /// three the steps are many enough for the leading term and few enough to stay above rounding;
    /// from order four on it is the finest pair of runs that is above rounding.
    template <class Error>
    static double order_of_pair(const Error& error, int order) {
        if (order <= 3) {
            const int steps = order == 1 ? 2000 : order == 2 ? 400 : 160;
            return std::log2(error(steps) / error(2 * steps));
        }
        const double rounding = order == 6 ? 1e-13 : 2.5e-13;
        const int finest = order <= 5 ? 320 : 160;
        int steps = order <= 6 ? 20 : 5;
        double coarse = error(steps), observed = 0;
        while (steps <= finest) {
            const double fine = error(2 * steps);
            if (fine < rounding) break;
            observed = std::log2(coarse / fine);
            coarse = fine;
            steps *= 2;
        }
        return observed;
    }
    /// From order four on the search finds the steps (its own test is test_order_search.cpp), over the
    /// time of the problem or parts of it, in which rounding adds up less. At order eight not even
    /// that separates the leading term from the next before rounding.
    double observed_order(const Problem& problem, int order) const {
        const auto error_over = [&](const Problem& of) {
            return [&, of, exact = reference(of)](long steps) {
                return distance(run(*make(), of, int(steps)), exact);
            };
        };
        if (order <= 3 || order > 6) return order_of_pair(error_over(problem), order);
        study::OrderFound best;
        best.order = std::numeric_limits<double>::quiet_NaN();
        for (const double part : {1.0, 0.5, 0.25, 0.125}) {
            Problem shorter = problem;
            shorter.end = problem.start.t + part * (problem.end - problem.start.t);
            const auto found = study::search_order(
                error_over(shorter), {.first_steps = properties().starting_steps > 1 ? 8 : 2,
                                      .most_steps = 1000,
                                      .resolved = 0.1,
                                      .reference = 1e-15,
                                      .suspicious = 1e-11});
            if (found.settled || found.spread < best.spread) best = found;
            if (found.settled) break;
        }
        return best.order;
    }
    static std::vector<Problem> problems() {
        return {oscillator(9, 0), oscillator(9, 2), pendulum(), driven(), chain(0), chain(0.5)};
    }
};

TEST_P(EveryIntegrator, HasTheDeclaredOrder) {
    for (const Problem& problem : problems()) {
        const int order = order_on(problem);
        if (properties().exact_on_linear && problem.linear) {
            // Up to what differences make of the slopes.
            const State end = run(*make(), problem, 10);
            EXPECT_LE(distance(end, reference(problem)), 1e-9) << problem.name;
            continue;
        }
        EXPECT_NEAR(observed_order(problem, order), order, order <= 6 ? 0.1 : 0.5) << problem.name;
    }
}

TEST_P(EveryIntegrator, ReportsTheForceEvaluationsThatItMakes) {
    for (Problem& problem : problems()) {
        const auto integrator = make();
        State state = problem.start;
        const int starting = properties().starting_steps;
        for (int i = 0; i < 3 + starting; ++i) {
            const int before = problem.system.evaluations;
            const StepReport report = integrator->step(problem.system, state, 0.01);

            const int made = problem.system.evaluations - before;
            EXPECT_EQ(report.force_evaluations, made) << problem.name;
            // Newton: a residual for the start of each stage, for each iteration, for what it rejected
            const bool newton = properties().implicit && !properties().linearised;
            const int residuals = newton ? properties().newton_stages + report.newton_iterations +
                                               report.newton_rejected
                                         : 0;
            if (i >= starting) {
                EXPECT_EQ(made,
                          properties().force_evaluations + residuals * properties().residual_forces)
                    << problem.name << ", step " << i;
            }
        }
    }
}

TEST_P(EveryIntegrator, GivesTheSameWhereTheForceDoesNotPersist) {
    Problem problem = chain(0);
    const State kept = run(*make(), problem, 50);
    problem.system.persists = false;

    const State anew = run(*make(), problem, 50);

    EXPECT_LE(distance(kept, anew), 1e-9);
}

TEST_P(EveryIntegrator, FailureLeavesStateAndHistoryAlone) {
    // The force turns to NaN at every place of the step in turn.
    Problem problem = chain(0.5);
    const auto integrator = make(), twin = make();
    State state = problem.start, other = state;
    for (int i = 0; i < 2 + properties().starting_steps; ++i) {
        ASSERT_TRUE(integrator->step(problem.system, state, 0.02).ok());
        ASSERT_TRUE(twin->step(problem.system, other, 0.02).ok());
    }
    const State before = state;
    const std::vector<char> history = integrator->save();

    for (int good = 0; good < std::max(1, properties().force_evaluations); ++good) {
        problem.system.left = good;
        const StepReport report = integrator->step(problem.system, state, 0.02);

        ASSERT_FALSE(report.ok()) << good;
        EXPECT_FALSE(report.solve.message.empty());
        EXPECT_EQ(state.t, before.t);
        EXPECT_EQ(state.x, before.x);
        EXPECT_EQ(state.v, before.v);
        EXPECT_EQ(integrator->save(), history);
    }

    problem.system.left = std::numeric_limits<int>::max();
    for (int i = 0; i < 3; ++i) {
        integrator->step(problem.system, state, 0.02);
        twin->step(problem.system, other, 0.02);
    }
    EXPECT_EQ(state.x, other.x);
    EXPECT_EQ(state.v, other.v);
}

TEST_P(EveryIntegrator, ResumesWithTheSameBits) {
    for (Problem& problem : problems()) {
        const auto first = make(), second = make();
        State state = problem.start;
        for (int i = 0; i < 5; ++i)
            first->step(problem.system, state, 0.02);
        State other = state;
        // The one that resumes has another past.
        State elsewhere = problem.start;
        for (int i = 0; i < 2; ++i)
            second->step(problem.system, elsewhere, 0.03);

        second->load(first->save());
        for (int i = 0; i < 5; ++i) {
            first->step(problem.system, state, 0.02);
            second->step(problem.system, other, 0.02);
        }

        EXPECT_EQ(state.x, other.x) << problem.name;
        EXPECT_EQ(state.v, other.v) << problem.name;
        EXPECT_EQ(first->save(), second->save()) << problem.name;
        second->load({});
        EXPECT_EQ(second->save(), make()->save()) << problem.name;
    }
}

TEST_P(EveryIntegrator, KeepsItsOrderWhenTheStepChanges) {
    // h, h, h/2, h/2, h/4, h/4, h/4, h/4, 2h/3, h/3 of every four: cuts, as retries make them
    const double pieces[] = {1, 1, .5, .5, .25, .25, .25, .25, 2. / 3, 1. / 3};
    const Problem problem = pendulum();
    const State exact = reference(problem);
    const auto error = [&](int steps) {
        Problem copy = problem;
        const auto integrator = make();
        State state = copy.start;
        const double h = (copy.end - state.t) / steps;
        for (int i = 0; i < steps / 5; ++i)
            for (const double piece : pieces)
                EXPECT_TRUE(integrator->step(copy.system, state, h * piece).ok());
        return distance(state, exact);
    };
    const int order = properties().order;
    // The many starts of methods with a past and the small pieces leave few runs above rounding: hence
    // the wider margins above order five.
    EXPECT_NEAR(order_of_pair(error, order), order, order <= 5 ? 0.1 : order == 6 ? 0.25 : 0.5);
}

TEST_P(EveryIntegrator, ForgetsItsHistoryWhereTheStateIsNotItsOwn) {
    Problem problem = chain(0);
    const auto used = make(), unused = make();
    State state = problem.start;
    for (int i = 0; i < 3; ++i)
        used->step(problem.system, state, 0.02);
    state.v[2] += 1e-3;  // as contact or a user does
    State other = state;

    used->step(problem.system, state, 0.02);
    unused->step(problem.system, other, 0.02);

    EXPECT_EQ(state.x, other.x);
    EXPECT_EQ(state.v, other.v);
}

TEST_P(EveryIntegrator, ParticlesApartMoveAsOneAlone) {
    // Three particles of three coordinates, each the same pendulum.
    const Problem one = pendulum();
    Problem many = one;
    many.system = DenseSystem(VecX::Constant(9, 2), [](double, const VecX& x, const VecX&) -> VecX {
        return -2 * x.array().sin();
    });
    many.start = {0, VecX::Constant(9, one.start.x[0]), VecX::Constant(9, one.start.v[0])};

    const State expected = run(*make(), one, 40), found = run(*make(), many, 40);

    for (Eigen::Index i = 0; i < 9; ++i) {
        EXPECT_NEAR(found.x[i], expected.x[0], 1e-11);
        EXPECT_NEAR(found.v[i], expected.v[0], 1e-11);
    }
}

TEST_P(EveryIntegrator, FreeFallIsExactFromOrderTwoOn) {
    const double g = -9.81, h = 0.01;
    Problem fall = pendulum();
    fall.system.of = [=](double, const VecX&, const VecX&) -> VecX { return scalar(2 * g); };
    fall.start = {0, scalar(3), scalar(1)};
    fall.end = 100 * h;

    const State state = run(*make(), fall, 100);

    // Methods of first order err by g k h^2/2, to one side or the other.
    const double error = state.x[0] - (3 + 1 + g / 2);
    EXPECT_NEAR(state.v[0], 1 + g, 1e-12);
    EXPECT_NEAR(std::abs(error), properties().order == 1 ? 0.04905 : 0, 1e-11);
}

TEST_P(EveryIntegrator, MeetsConstraintsAsBackwardEulerDoes) {
    // Particle 1 of the chain follows a given velocity and is shifted by y, particle 2 may not
    // leave a plane; particle 3 is free.
    Problem problem = chain(0.5);
    DenseSystem& system = problem.system;
    const Vec3 normal = Vec3(1, 2, 2) / 3;
    system.S.topLeftCorner<3, 3>().setZero();
    system.S.block<3, 3>(3, 3) -= normal * normal.transpose();
    system.velocity.head<6>() << 1, 0, -1, normal * 0.3;
    system.y = VecX::Zero(9);
    system.y.head<6>() << 0.01, 0, 0.02, normal * 0.005;
    const auto integrator = make();
    State state = problem.start;

    for (int i = 0; i < 4; ++i) {
        const State before = state;
        system.start = before.v;
        system.h = 0.02;
        ASSERT_TRUE(integrator->step(system, state, system.h).ok());

        const VecX place = before.x + system.h * system.velocity + system.y;
        const MatX forbidden = MatX::Identity(9, 9) - system.S;
        EXPECT_LE((forbidden * (state.v - system.velocity)).norm(), 1e-13);
        EXPECT_LE((forbidden * (state.x - place)).norm(), 1e-13);
        const VecX z = (system.velocity - before.v) / system.h;
        EXPECT_LE((forbidden * (integrator->acceleration() - z)).norm(), 1e-10);
        EXPECT_GT((state.v - before.v).tail<3>().norm(), 1e-3);
    }
}

TEST_P(EveryIntegrator, RefusesUnknownOptions) {
    Settings settings = Settings::object();
    settings["no_such_option"] = Settings::of(1.0);

    EXPECT_THROW(entry().make(settings), Error);
    EXPECT_FALSE(entry().doc.empty());
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryIntegrator, ::testing::ValuesIn(general_integrators()),
                         [](const auto& tested) { return std::string(tested.param->key); });

}  // namespace
}  // namespace taffeta::ode

#include <gtest/gtest.h>

#include "ode/problems.h"
#include "ode/spring_network.h"
#include "taffeta/base/parallel.h"

/// What every registered integrator that needs springs promises, measured: its order, its count of
/// force evaluations, that failures and checkpoints lose nothing, that constraints hold, that threads
/// do not change a bit, and that it never gains energy.
namespace taffeta::ode {
namespace {

using namespace testing;

class EverySpringIntegrator : public ::testing::TestWithParam<const IntegratorEntry*> {
  protected:
    const IntegratorEntry& entry() const { return *GetParam(); }
    std::unique_ptr<Integrator> make() const { return entry().make({}); }
    State end(SpringProblem problem, double h, int steps) const {
        const auto method = make();
        for (int i = 0; i < steps; ++i)
            if (const StepReport report = method->step(problem.system, problem.start, h);
                !report.ok())
                throw std::runtime_error(report.solve.message);
        return problem.start;
    }
};

/// Not stiff where the method has the springs' stiffness; rods with constraints that agree where not.
SpringProblem swinging() {
    return spring_pendulum(200);
}

TEST_P(EverySpringIntegrator, HasTheDeclaredOrder) {
    const State finest = end(swinging(), 0.3 / 25600, 25600);
    const auto error = [&](int steps) {
        return distance(end(swinging(), 0.3 / steps, steps), finest);
    };

    // The error of the finest is that of first order too: e(n) ~ 1/n - 1/25600.
    const double expected = (1. / 800 - 1. / 25600) / (1. / 1600 - 1. / 25600);
    EXPECT_NEAR(error(800) / error(1600), expected, 0.05 * expected);
    EXPECT_EQ(entry().properties.order, 1);
}

TEST_P(EverySpringIntegrator, ReportsTheForceEvaluationsThatItMakes) {
    SpringProblem problem = spring_sheet(4, 5, 0.01);
    const auto method = make();
    for (int i = 0; i < 3; ++i) {
        const int before = problem.system.evaluations;
        const StepReport report = method->step(problem.system, problem.start, 0.01);

        EXPECT_EQ(report.force_evaluations, problem.system.evaluations - before);
        EXPECT_EQ(report.force_evaluations, entry().properties.force_evaluations);
    }
}

TEST_P(EverySpringIntegrator, FailureLeavesTheStateAlone) {
    SpringProblem problem = spring_sheet(4, 5, 0.01), twin = problem;
    const auto method = make(), other = make();
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(method->step(problem.system, problem.start, 0.02).ok());
        ASSERT_TRUE(other->step(twin.system, twin.start, 0.02).ok());
    }
    for (int good = 0; good < entry().properties.force_evaluations; ++good) {
        const State before = problem.start;
        const std::vector<char> history = method->save();
        problem.system.left = good;

        const StepReport report = method->step(problem.system, problem.start, 0.02);

        ASSERT_FALSE(report.ok()) << good;
        EXPECT_FALSE(report.solve.message.empty());
        EXPECT_EQ(problem.start.t, before.t);
        EXPECT_EQ(problem.start.x, before.x);
        EXPECT_EQ(problem.start.v, before.v);
        EXPECT_EQ(method->save(), history);
    }
    problem.system.left = std::numeric_limits<int>::max();
    for (int i = 0; i < 3; ++i) {
        method->step(problem.system, problem.start, 0.02);
        other->step(twin.system, twin.start, 0.02);
    }
    EXPECT_EQ(problem.start.x, twin.start.x);
    EXPECT_EQ(problem.start.v, twin.start.v);
}

TEST_P(EverySpringIntegrator, ResumesWithTheSameBits) {
    SpringProblem problem = spring_sheet(4, 5, 0.01);
    const auto first = make(), second = make();
    for (int i = 0; i < 5; ++i)
        first->step(problem.system, problem.start, 0.02);
    SpringProblem other = problem;
    // The one that resumes has another past, on other springs.
    SpringProblem elsewhere = two_links(30, 0);
    second->step(elsewhere.system, elsewhere.start, 0.03);

    second->load(first->save());
    for (int i = 0; i < 5; ++i) {
        first->step(problem.system, problem.start, 0.02);
        second->step(other.system, other.start, 0.02);
    }

    EXPECT_EQ(problem.start.x, other.start.x);
    EXPECT_EQ(problem.start.v, other.start.v);
}

TEST_P(EverySpringIntegrator, FollowsSpringsAndHeldParticlesThatChange) {
    SpringProblem changed = spring_sheet(4, 5, 0.01);
    const auto used = make(), unused = make();
    ASSERT_TRUE(used->step(changed.system, changed.start, 0.02).ok());
    changed.system.spring[3].stiffness *= 2;
    changed.system.spring.pop_back();
    changed.system.hold(5);
    SpringProblem other = changed;

    ASSERT_TRUE(used->step(changed.system, changed.start, 0.02).ok());
    ASSERT_TRUE(unused->step(other.system, other.start, 0.02).ok());

    EXPECT_EQ(changed.start.x, other.start.x);
    EXPECT_EQ(changed.start.v, other.start.v);
}

TEST_P(EverySpringIntegrator, HasTheSameBitsForAnyNumberOfThreads) {
    const int usual = thread_count();
    const SpringProblem problem = spring_sheet(60, 5, 0.01);
    set_thread_count(1);
    const State alone = end(problem, 0.01, 5);
    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);

        const State together = end(problem, 0.01, 5);

        EXPECT_EQ(together.x, alone.x) << threads;
        EXPECT_EQ(together.v, alone.v) << threads;
    }
    set_thread_count(usual);
}

TEST_P(EverySpringIntegrator, MeetsConstraintsAsBackwardEulerDoes) {
    SpringProblem problem = spring_sheet(4, 5, 0.01);
    SpringNetwork& system = problem.system;
    const Vec3 n = Vec3(1, 2, 2) / 3;
    system.hold(1);
    system.S[6] -= n * n.transpose();
    system.velocity = VecX::Zero(48);
    vec3(system.velocity, 1) = Vec3(1, 0, -1);
    vec3(system.velocity, 6) = 0.3 * n;
    system.y = VecX::Zero(48);
    vec3(system.y, 1) = Vec3(0.01, 0, 0.02);
    vec3(system.y, 6) = 0.005 * n;
    const auto method = make();

    for (int i = 0; i < 4; ++i) {
        const State before = problem.start;
        system.start = before.v;
        ASSERT_TRUE(method->step(system, problem.start, 0.02).ok());

        const VecX place = before.x + 0.02 * system.velocity + system.y;
        EXPECT_LE((vec3(problem.start.x, 1) - vec3(place, 1)).norm(), 1e-13);
        EXPECT_LE((vec3(problem.start.v, 1) - Vec3(1, 0, -1)).norm(), 1e-13);
        EXPECT_LE(std::abs(n.dot(vec3(problem.start.x, 6) - vec3(place, 6))), 1e-13);
        EXPECT_LE(std::abs(n.dot(vec3(problem.start.v, 6)) - 0.3), 1e-13);
        const Vec3 z = (vec3(system.velocity, 1) - vec3(before.v, 1)) / 0.02;
        EXPECT_LE((vec3(method->acceleration(), 1) - z).norm(), 1e-10);
        EXPECT_GT((vec3(problem.start.v, 6) - vec3(before.v, 6)).norm(), 1e-3);
    }
}

TEST_P(EverySpringIntegrator, NeverGainsEnergyOnAPendulum) {
    for (const double stiffness : {1.0, 30.0, 1e4})
        for (const double h : {0.002, 0.01, 0.05}) {
            SpringProblem pendulum = spring_pendulum(stiffness);
            const auto method = make();
            const double start = pendulum.system.energy(pendulum.start);
            double highest = start;
            for (int i = 0; i < 400; ++i) {
                ASSERT_TRUE(method->step(pendulum.system, pendulum.start, h).ok());
                highest = std::max(highest, pendulum.system.energy(pendulum.start));
            }

            EXPECT_LE(highest, start + 1e-9) << "k " << stiffness << ", h " << h;
        }
}

TEST_P(EverySpringIntegrator, KeepsTheMomentumOfFreeParticles) {
    SpringProblem problem = spring_sheet(4, 50, 0.05);
    problem.system.S.assign(16, Mat3::Identity());
    problem.system.gravity.setZero();
    const auto momentum = [&](const State& state) {
        Vec3 sum = Vec3::Zero();
        for (Index i = 0; i < 16; ++i)
            sum += vec3(state.v, i) / problem.system.inverse_mass()[i];
        return sum;
    };
    const Vec3 before = momentum(problem.start);

    const State state = end(problem, 0.02, 20);

    EXPECT_LE((momentum(state) - before).norm(), 1e-13);
    EXPECT_GT((state.v - problem.start.v).norm(), 1e-2);
}

TEST_P(EverySpringIntegrator, RefusesUnknownOptions) {
    Settings settings = Settings::object();
    settings["no_such_option"] = Settings::of(1.0);

    EXPECT_THROW(entry().make(settings), Error);
    EXPECT_FALSE(entry().doc.empty());
}

std::vector<const IntegratorEntry*> spring_integrators() {
    std::vector<const IntegratorEntry*> entries;
    for (const IntegratorEntry* entry : integrators())
        if (entry->properties.needs_springs) entries.push_back(entry);
    return entries;
}

INSTANTIATE_TEST_SUITE_P(Registered, EverySpringIntegrator,
                         ::testing::ValuesIn(spring_integrators()),
                         [](const auto& tested) { return std::string(tested.param->key); });

}  // namespace
}  // namespace taffeta::ode

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ode/linear_system.h"
#include "ode/problems.h"

/// The force evaluations of Newton's method, counted: a step costs what its method declares, and for every
/// stage one evaluation at the start and one more an iteration.
namespace taffeta::ode {
namespace {

using namespace testing;

/// Stages that are solved one after the other, and forces that each of their residuals takes.
struct Stages {
    int solves = 1, forces = 1;
};

Stages stages_of(std::string_view key) {
    if (key == "sdirk2") return {.solves = 2};
    if (key == "gauss4" || key == "radau_iia3") return {.forces = 2};
    if (key == "gauss6" || key == "radau_iia5") return {.forces = 3};
    return {};
}

std::vector<const IntegratorEntry*> that_iterate() {
    std::vector<const IntegratorEntry*> entries;
    for (const IntegratorEntry* entry : general_integrators())
        if (entry->properties.implicit && !entry->properties.linearised) entries.push_back(entry);
    return entries;
}

class EveryNewtonMethod : public ::testing::TestWithParam<const IntegratorEntry*> {
  protected:
    /// Counts the steps after the start of a run; returns Newton's iterations a step.
    std::vector<int> expect_counted(Problem problem, double h) const {
        const auto integrator = GetParam()->make(Settings());
        // Far above rounding, where Newton tries whether there is anything left to do.
        integrator->set_newton({.tolerance = 1e-7});
        const IntegratorProperties& properties = GetParam()->properties;
        const Stages stages = stages_of(GetParam()->key);
        std::vector<int> iterations;
        State state = problem.start;
        for (int i = 0; i < properties.starting_steps + 8; ++i) {
            const int before = problem.system.evaluations;
            const StepReport report = integrator->step(problem.system, state, h);
            const int made = problem.system.evaluations - before;
            EXPECT_TRUE(report.ok()) << report.solve.message;
            EXPECT_EQ(report.force_evaluations, made) << problem.name << ", step " << i;
            if (i < properties.starting_steps) continue;
            iterations.push_back(report.newton_iterations);
            EXPECT_EQ(made, properties.force_evaluations +
                                stages.forces * (stages.solves + report.newton_iterations))
                << problem.name << ", step " << i;
        }
        return iterations;
    }
};

TEST_P(EveryNewtonMethod, EvaluatesOnceAnIterationOnALinearProblem) {
    for (const int iterations : expect_counted(oscillator(9, 2), 0.05))
        EXPECT_LE(iterations, stages_of(GetParam()->key).solves);  // one is enough, a guess may be
}

TEST_P(EveryNewtonMethod, EvaluatesOnceAnIterationOnNonlinearProblems) {
    int most = 0;
    for (const Problem& problem : {pendulum(), chain(0.5)})
        for (const int iterations : expect_counted(problem, 0.2))
            most = std::max(most, iterations);
    // Central difference solves for the velocity alone, in which damping is linear.
    EXPECT_GE(most, GetParam()->key == "central_difference" ? 1 : 2);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryNewtonMethod, ::testing::ValuesIn(that_iterate()),
                         [](const auto& tested) { return std::string(tested.param->key); });

}  // namespace
}  // namespace taffeta::ode

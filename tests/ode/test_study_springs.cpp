#include <gtest/gtest.h>

#include <cmath>

#include "ode/study_helpers.h"
#include "taffeta/ode/study/run.h"

/// Problems of the study as particles on springs, for the methods that step those alone.
namespace taffeta::ode::study {
namespace {

using namespace testing;

/// (x, v) off the start, the same on every machine.
State moved(const State& start) {
    State state = start;
    for (Eigen::Index i = 0; i < state.x.size(); ++i) {
        state.x[i] += 0.05 * std::sin(1.3 * double(i + 1));
        state.v[i] += 0.4 * std::cos(2.1 * double(i + 1));
    }
    return state;
}

/// f_ext + sum over springs of -(k (|d| - l) + c n . d') n
VecX force_of_springs(SpringForm& form, const State& state) {
    VecX f;
    form.external_force(state.t, state.x, state.v, f);
    for (const Spring& spring : form.springs()) {
        const Vec3 d = vec3(state.x, spring.i) - vec3(state.x, spring.j);
        const Vec3 u = vec3(state.v, spring.i) - vec3(state.v, spring.j), n = d.normalized();
        const Vec3 pull =
            (spring.stiffness * (d.norm() - spring.length) + spring.damping * n.dot(u)) * n;
        vec3(f, spring.i) -= pull;
        vec3(f, spring.j) += pull;
    }
    return f;
}

TEST(StudySprings, HaveTheForceOfTheProblem) {
    for (const auto& problem :
         {make_problem("spring_3d"),
          make_problem("spring_sheet", options({{"side", 4}, {"damping", 0.1}}))}) {
        SpringForm form(*problem);
        const State state = moved(problem->start), whole = form.with_held(state);
        VecX f, mass;

        problem->system->force(0, state.x, state.v, f);
        problem->system->solve_mass(VecX::Ones(f.size()), mass);
        const VecX found = force_of_springs(form, whole).head(f.size());

        EXPECT_LE((found - f).norm(), 1e-12 * f.norm());
        EXPECT_EQ(form.without_held(whole).x, state.x);
        for (Eigen::Index i = 0; i < f.size(); ++i)
            EXPECT_NEAR(form.inverse_mass()[i / 3], mass[i], 1e-12 * mass[i]);
    }
}

TEST(StudySprings, HeldParticlesStay) {
    const auto problem = make_problem("spring_sheet", options({{"side", 4}}));
    SpringForm form(*problem);
    VecX a = VecX::Ones(form.size());

    form.project(a);

    EXPECT_EQ(form.size(), 3 * 16);
    EXPECT_EQ(a.sum(), 3 * 14);
    EXPECT_EQ(form.inverse_mass().tail(2).norm(), 0);
    // The corners of the last row.
    const VecX held = form.with_held(problem->start).x.tail(6);
    EXPECT_EQ(held, (VecX(6) << 0, 1, 0, 1, 1, 0).finished());
}

TEST(StudySprings, AConvergedProjectionIsBackwardEuler) {
    const auto problem = make_problem("spring_sheet", options({{"side", 4}, {"end", 0.1}}));
    const ChosenMethod projective(method("projective_dynamics"), options({{"iterations", 2000}}),
                                  Settings::object(), "converged");

    const auto springs = run(*problem, projective, problem->end, 10);
    const auto euler = run(*problem, method("backward_euler"), problem->end, 10);

    ASSERT_TRUE(springs.ok) << springs.message;
    ASSERT_TRUE(euler.ok) << euler.message;
    EXPECT_LE(problem->distance(springs.end, euler.end), 1e-9 * problem->size(euler.end));
}

TEST(StudySprings, OneSpringIsBackwardEulerInOneSweep) {
    const auto problem = make_problem("spring_3d");
    const ChosenMethod one(method("xpbd"), options({{"substeps", 1}}), Settings::object(), "one");

    const auto springs = run(*problem, one, problem->end, 50);
    const auto euler = run(*problem, method("backward_euler"), problem->end, 50);

    EXPECT_LE(problem->distance(springs.end, euler.end), 1e-10);
    EXPECT_EQ(springs.counts.forces, 50);
}

TEST(StudySprings, AProblemWithoutThemSaysSo) {
    const auto problem = make_problem("kepler");

    const auto made = run(*problem, method("xpbd"), 1, 10);

    EXPECT_FALSE(made.ok);
    EXPECT_NE(made.message.find("springs"), std::string::npos) << made.message;
}

}  // namespace
}  // namespace taffeta::ode::study

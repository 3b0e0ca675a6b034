#include <gtest/gtest.h>

#include <cmath>

#include "ode/study_helpers.h"
#include "taffeta/ode/study/order.h"
#include "taffeta/ode/study/run.h"
#include "taffeta/ode/study/work_precision.h"

/// Orders and work of methods whose orders are known, and errors against the reference numbers of an
/// independent implementation.
namespace taffeta::ode::study {
namespace {

using namespace testing;

double error_of(const char* key, const char* problem_key, long steps) {
    const auto problem = make_problem(problem_key);
    const auto integrator = make_study_integrator(method(key));
    const Run made = run(*problem, *integrator, problem->end, steps);
    EXPECT_TRUE(made.ok) << made.message;
    EXPECT_EQ(made.counts.steps, steps);
    EXPECT_EQ(made.end.t, problem->end);
    return problem->distance(made.end, problem->exact(problem->end));
}

TEST(StudyRun, HasTheErrorsOfTheReference) {
    struct Expected {
        const char *method, *problem;
        long steps;
        double error;
    };
    for (const auto& [key, problem, steps, error] :
         {Expected{"explicit_euler", "hauth_1a", 10, 1.197319676531e+00},
          {"explicit_midpoint", "hauth_1a", 20, 2.282125700504e-02},
          {"rk4", "hauth_1a", 40, 7.383000646399e-07},
          {"backward_euler", "hauth_1b", 20, 1.347377431727e-05},
          {"implicit_midpoint", "hauth_1b", 40, 5.028513178319e-08},
          {"explicit_euler", "hauth_2", 100, 1.609521265282e-04},
          {"kutta3", "hauth_2", 50, 3.892086061942e-07},
          {"sdirk2", "hauth_2", 200, 1.919133478973e-07},
          {"velocity_verlet", "wave", 100, 9.284285210562e-02},
          {"trapezoid", "wave", 200, 4.936698390119e-02},
          {"implicit_midpoint", "hauth_3", 400, 4.118937791892e-06},
          {"backward_euler", "hauth_3", 800, 2.101315685279e-04},
          {"symplectic_euler_a", "hauth_3", 1600, 6.477943870400e-06}})
        EXPECT_NEAR(error_of(key, problem, steps) / error, 1, 1e-7) << key << " on " << problem;
}

TEST(StudyOrder, OfKnownMethods) {
    struct Expected {
        const char *method, *problem;
        double order;
    };
    for (const auto& [key, problem, order] : {Expected{"explicit_euler", "wave", 1},
                                              {"backward_euler", "hauth_3", 1},
                                              {"heun", "hauth_1b", 2},
                                              {"kutta3", "hauth_2", 3},
                                              {"rk4", "hauth_3", 4},
                                              {"rk4", "kepler", 4},
                                              {"velocity_verlet", "wave", 2},
                                              {"velocity_verlet", "hauth_2", 1},
                                              {"central_difference", "hauth_3", 2},
                                              {"bdf2", "pendulum", 2},
                                              {"sdirk2", "spring_3d", 2}}) {
        const OrderMeasurement found = measure_order(method(key), problem_entry(problem));

        EXPECT_NEAR(found.observed_order, order, 0.1) << key << " on " << problem;
        EXPECT_EQ(found.declared_order, int(order)) << key << " on " << problem;
        EXPECT_TRUE(found.pass) << found.note;
    }
}

TEST(StudyOrder, KnowsAnExactResult) {
    const OrderMeasurement found =
        measure_order(method("velocity_verlet"), problem_entry("free_fall"));

    EXPECT_TRUE(found.pass);
    EXPECT_FALSE(std::isfinite(found.observed_order));
    EXPECT_LE(found.error, 1e-13);
}

TEST(StudyOrder, SeesAMethodThatIsWorseThanItSays) {
    // Velocity Verlet falls to order one where the force depends on v.
    IntegratorEntry boaster = method("velocity_verlet");
    boaster.properties.damped_order = 0;

    const OrderMeasurement found = measure_order(boaster, problem_entry("hauth_2"));

    EXPECT_EQ(found.declared_order, 2);
    EXPECT_FALSE(found.pass);
    EXPECT_FALSE(found.note.empty());
}

TEST(StudyOrder, CountsEvaluations) {
    EXPECT_EQ(measure_order(method("rk4"), problem_entry("pendulum")).evaluations, 4);
    // The last force of a step is the first of the next.
    EXPECT_NEAR(measure_order(method("velocity_verlet"), problem_entry("wave")).evaluations, 1,
                0.01);
}

TEST(StudyWork, CountsWhatTheMethodAsksFor) {
    const auto problem = make_problem("wave");
    WorkOptions options;
    options.steps = {50, 100};
    options.repeats = 1;

    const auto points =
        measure_work(*problem, problem->exact(problem->end),
                     {&method("rk4"), &method("linearised_backward_euler")}, options);

    ASSERT_EQ(points.size(), 4u);
    EXPECT_EQ(points[0].method, "rk4");
    EXPECT_EQ(points[0].counts.forces, 200);
    EXPECT_EQ(points[0].counts.solves, 0);
    EXPECT_EQ(points[1].steps, 100);
    EXPECT_EQ(points[3].counts.solves, 100);
    EXPECT_NEAR(points[1].error * problem->size(problem->exact(10)), 1.027227968320e-03, 1e-9);
    for (const WorkPoint& point : points) {
        EXPECT_TRUE(point.ok);
        EXPECT_GT(point.seconds, 0);
        // 4 forces of 2 operations and 10 of the method's own, 4 inverses of a mass: 52 a step.
        if (point.method == "rk4") {
            EXPECT_EQ(point.flops, 52.0 * double(point.steps));
        }
    }
}

TEST(StudyWork, ReportsAFailureAsOne) {
    // A step beyond the limit of stability on a stiff spring overflows.
    const auto problem = make_problem("hauth_3");
    WorkOptions options;
    options.steps = {4, 20000};
    options.repeats = 1;
    problem->end = 400;

    const auto points =
        measure_work(*problem, problem->exact(400), {&method("explicit_euler")}, options);

    EXPECT_GT(points[0].error, 1);
    EXPECT_TRUE(!points[1].ok || points[1].error > 1e3);
    EXPECT_EQ(points[1].ok, points[1].message.empty());
}

}  // namespace
}  // namespace taffeta::ode::study

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
    const Run made = run(*problem, method(key), problem->end, steps);
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
    EXPECT_EQ(measure_order(method("velocity_verlet"), problem_entry("wave")).evaluations, 1);
}

TEST(StudyOrder, SeesAnOrderAboveTheDeclaredOne) {
    IntegratorEntry modest = method("velocity_verlet");
    modest.properties.order = 1;

    const OrderMeasurement found = measure_order(modest, problem_entry("wave"));

    EXPECT_NEAR(found.observed_order, 2, 0.1);
    EXPECT_FALSE(found.pass);
    EXPECT_NE(found.note.find("above the declared order"), std::string::npos) << found.note;
}

TEST(StudyOrder, TakesMoreThanTheOrderOnlyWhereTheoryHasIt) {
    // Heun's errors vanish in free fall, and theory says so; of a method that denies its order it does
    // not.
    IntegratorEntry modest = method("velocity_verlet");
    modest.properties.order = 1;

    EXPECT_TRUE(measure_order(method("heun"), problem_entry("free_fall")).pass);
    EXPECT_FALSE(measure_order(modest, problem_entry("free_fall")).pass);
    // The exponential method has no error on linear systems, and order two on others.
    EXPECT_TRUE(measure_order(method("exponential"), problem_entry("wave")).pass);
    IntegratorEntry silent = method("exponential");
    silent.properties.exact_on_linear = false;
    EXPECT_FALSE(measure_order(silent, problem_entry("wave")).pass);
}

TEST(StudyOrder, SeesEvaluationsThatAreNotAsDeclared) {
    IntegratorEntry idle = method("velocity_verlet");
    idle.properties.force_evaluations = 2;
    IntegratorEntry coupled = method("backward_euler");
    coupled.properties.residual_forces = 2;
    IntegratorEntry staged = method("sdirk2");
    staged.properties.newton_stages = 1;

    for (const IntegratorEntry& entry : {idle, coupled, staged}) {
        const OrderMeasurement found = measure_order(entry, problem_entry("wave"));

        EXPECT_NEAR(found.observed_order, entry.properties.order, 0.1) << entry.key;
        EXPECT_FALSE(found.pass) << entry.key;
        EXPECT_NE(found.note.find("are declared"), std::string::npos) << found.note;
    }
}

TEST(StudyOrder, CountsTheForcesOfNewtonsIteration) {
    // Three coupled stages take three forces for each residual: one to begin, one an iteration, and on
    // a linear problem a last one or two that find rounding.
    const OrderMeasurement found = measure_order(method("gauss6"), problem_entry("wave"));

    EXPECT_TRUE(found.pass) << found.note;
    EXPECT_EQ(found.residual_forces, 3);
    EXPECT_GE(found.residuals, 2);
    EXPECT_NEAR(found.evaluations, 3 * found.residuals, 1e-12);
}

ChosenMethod chosen(const char* key, const Settings& its_options) {
    return {method(key), its_options, Settings::object(), key};
}

TEST(StudyOrder, IsDeclaredByTheOptions) {
    // Newmark's family: two for gamma = 1/2 alone, unconditionally stable for 2 beta >= gamma.
    const auto newmark = [](double beta, double gamma) {
        return chosen("newmark", options({{"beta", beta}, {"gamma", gamma}})).properties;
    };
    EXPECT_EQ(newmark(0.25, 0.5).order, 2);
    EXPECT_EQ(newmark(1. / 6, 0.5).order, 2);
    EXPECT_EQ(newmark(0.3025, 0.6).order, 1);
    EXPECT_TRUE(newmark(0.3025, 0.6).a_stable);
    EXPECT_FALSE(newmark(1. / 6, 0.5).a_stable);
    EXPECT_TRUE(newmark(0, 0.5).symplectic);
    EXPECT_EQ(chosen("xpbd", options({{"substeps", 4}})).properties.force_evaluations, 4);

    for (const auto& [beta, gamma, order] :
         {std::tuple{0., 0.5, 2}, {1. / 6, 0.5, 2}, {1. / 12, 0.5, 2}, {0.3025, 0.6, 1}})
        for (const char* problem : {"wave", "hauth_2", "pendulum"}) {
            const OrderMeasurement found =
                measure_order(chosen("newmark", options({{"beta", beta}, {"gamma", gamma}})),
                              problem_entry(problem));

            EXPECT_EQ(found.declared_order, order);
            EXPECT_TRUE(found.pass)
                << beta << " on " << problem << ": " << found.observed_order << " " << found.note;
        }
}

TEST(StudyOrder, OfATableauFollowsFromItsNumbers) {
    Settings ralston = Settings::object(), kutta = Settings::object();
    const auto numbers = [](std::initializer_list<double> values) {
        Settings array = Settings::array();
        for (const double value : values)
            array.items().push_back(Settings::of(value));
        return array;
    };
    ralston["a"] = numbers({2. / 3});
    ralston["b"] = numbers({1. / 4, 3. / 4});
    kutta["a"] = numbers({1. / 2, -1, 2});
    kutta["b"] = numbers({1. / 6, 2. / 3, 1. / 6});
    kutta["b_hat"] = numbers({0, 1, 0});

    const ChosenMethod two = chosen("explicit_tableau", ralston),
                       three = chosen("explicit_tableau", kutta);

    EXPECT_EQ(two.properties.order, 2);
    EXPECT_EQ(two.properties.force_evaluations, 2);
    EXPECT_FALSE(two.properties.estimates_error);
    EXPECT_EQ(three.properties.order, 3);
    EXPECT_EQ(three.properties.force_evaluations, 3);
    EXPECT_TRUE(three.properties.estimates_error);
    EXPECT_TRUE(measure_order(two, problem_entry("kepler")).pass);
    EXPECT_TRUE(measure_order(three, problem_entry("kepler")).pass);

    for (const auto& [a, b] : {std::pair{numbers({0.5}), numbers({0.5, 0.6})},
                               {numbers({0.5, 1}), numbers({0, 1})},
                               {numbers({0.5}), Settings::array()}}) {
        Settings bad = Settings::object();
        bad["a"] = a;
        bad["b"] = b;
        EXPECT_THROW(chosen("explicit_tableau", bad), Error);
    }
}

TEST(StudyOrder, OfSofasTrapezoidalOption) {
    Settings trapezoidal = Settings::object();
    trapezoidal["trapezoidal"] = Settings::of(true);
    const ChosenMethod sofa = chosen("sofa_euler_implicit", trapezoidal);

    // Its positions are those of backward Euler, so that two is the order of y' = f(t, y) alone.
    EXPECT_EQ(measure_order(sofa, problem_entry("wave")).declared_order, 1);
    EXPECT_TRUE(measure_order(sofa, problem_entry("wave")).pass);
    EXPECT_EQ(measure_order(sofa, problem_entry("hauth_1a")).declared_order, 2);
    EXPECT_TRUE(measure_order(sofa, problem_entry("hauth_1a")).pass);
}

TEST(StudyOrder, OfMethodsOnSprings) {
    for (const char* key : {"xpbd", "projective_dynamics"}) {
        for (const char* problem : {"spring_3d", "spring_sheet"}) {
            const OrderMeasurement found = measure_order(method(key), problem_entry(problem));

            EXPECT_TRUE(found.pass) << key << " on " << problem << ": " << found.note;
            EXPECT_NEAR(found.observed_order, 1, 0.1);
        }
        const OrderMeasurement elsewhere = measure_order(method(key), problem_entry("kepler"));
        EXPECT_FALSE(elsewhere.applies);
        EXPECT_FALSE(elsewhere.note.empty());
    }
    // Its springs are rods.
    EXPECT_FALSE(measure_order(method("pbd"), problem_entry("spring_3d")).applies);
}

TEST(StudyOrder, DoesNotApplyWithDampingOfItsOwn) {
    const ChosenMethod damped = chosen("newmark", options({{"rayleigh_mass", 1}}));

    EXPECT_FALSE(measure_order(damped, problem_entry("wave")).applies);
    EXPECT_THROW(chosen("newmark", options({{"betta", 1}})), Error);
    EXPECT_THROW(chosen("newmark", options({{"gamma", 2}})), Error);
    EXPECT_THROW(
        (ChosenMethod(method("bdf2"), Settings::object(), options({{"tolerence", 1}}), "")), Error);
}

TEST(StudyWork, CountsWhatTheMethodAsksFor) {
    const auto problem = make_problem("wave");
    WorkOptions options;
    options.steps = {50, 100};
    options.repeats = 1;

    const auto points = measure_work(*problem, problem->exact(problem->end),
                                     {method("rk4"), method("linearised_backward_euler")}, options);

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
        measure_work(*problem, problem->exact(400), {method("explicit_euler")}, options);

    EXPECT_GT(points[0].error, 1);
    EXPECT_TRUE(!points[1].ok || points[1].error > 1e3);
    EXPECT_EQ(points[1].ok, points[1].message.empty());
}

}  // namespace
}  // namespace taffeta::ode::study

#include <gtest/gtest.h>

#include "ode/linear_system.h"
#include "ode/problems.h"

/// The implicit-explicit methods: what is implicit in them, and the reference's errors and limit.
namespace taffeta::ode {
namespace {

using namespace testing;

TEST(Imex, EulerHasTheErrorsOfTheReference) {
    const struct {
        Textbook problem;
        int steps;
        double errors[4];
    } rows[] = {{problem_2,
                 50,
                 {1.058159110894e-03, 3.215073390198e-04, 1.108274965275e-04, 4.332825536429e-05}},
                {problem_3,
                 200,
                 {2.188048252159e-04, 2.179598769727e-04, 2.037388211171e-04, 1.606661718713e-04}},
                {problem_W,
                 100,
                 {1.168061035462e+00, 9.093525072865e-01, 5.868783419774e-01, 3.357270370808e-01}}};
    for (const auto& [problem, steps, errors] : rows)
        for (int i = 0; i < 4; ++i)
            EXPECT_NEAR(textbook_error(problem, "imex_euler", steps << i), errors[i],
                        1e-9 * errors[i]);
}

TEST(Imex, DampingLimitsTheStepAsItIsExplicit) {
    // (5 - sqrt 15)/2.5: the root -1 of the damped spring of problem 2
    EXPECT_NEAR(stability_limit(problem_2, "imex_euler", 0.1, 2), 0.4508066615, 1e-9);
}

TEST(Imex, IsBackwardEulerAndBdf2OnSpringsWithoutDamping) {
    for (const auto& [imex, implicit] :
         {std::pair{"imex_euler", "backward_euler"}, {"imex_bdf2", "linearised_bdf2"}}) {
        const State a =
            run_linear(*make_with(imex), LinearSystem(40, 0, 3), {0, scalar(1), scalar(-2)}, 5, 50);
        const State b = run_linear(*make_with(implicit), LinearSystem(40, 0, 3),
                                   {0, scalar(1), scalar(-2)}, 5, 50);

        EXPECT_LE(distance(a, b), 1e-11) << imex;
    }
}

TEST(Imex, EulerOfADampedSpringIsItsClosedForm) {
    // (1 + h^2 k) dv = h (-k x - c v - h k v)
    LinearSystem system(9, 2, 0);
    State state{0, scalar(0.4), scalar(-1)};
    const double h = 0.3;

    ASSERT_TRUE(make_with("imex_euler")->step(system, state, h).ok());

    const double v = -1 + h * (-9 * 0.4 + 2 + h * 9) / (1 + h * h * 9);
    EXPECT_NEAR(state.v[0], v, 1e-15);
    EXPECT_NEAR(state.x[0], 0.4 + h * v, 1e-15);
    EXPECT_EQ(system.linearised, 1);
}

}  // namespace
}  // namespace taffeta::ode

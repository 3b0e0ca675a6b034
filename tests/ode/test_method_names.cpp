#include <gtest/gtest.h>

#include <string>

#include "ode/problems.h"

/// The Adams and BDF families by number: every one the textbooks list has its name, and the first ones
/// are, to the bit, the methods that are known by others.
namespace taffeta::ode {
namespace {

using namespace testing;

const IntegratorEntry& named(const std::string& key) {
    return find_entry(integrators(), "integrator", key);
}

TEST(MethodNames, OfTheFamiliesAreThereForEveryOrder) {
    for (const auto& [family, most] : {std::pair<std::string, int>{"adams_bashforth", 5},
                                       {"adams_moulton", 6},
                                       {"adams_pece", 6},
                                       {"bdf", 6}})
        for (int order = 1; order <= most; ++order)
            EXPECT_EQ(named(family + std::to_string(order)).properties.order, order) << family;
}

TEST(MethodNames, OfTheFirstOrdersAreThoseOfOtherMethods) {
    for (const auto& [key, other] : {std::pair{"adams_bashforth1", "explicit_euler"},
                                     {"adams_moulton1", "backward_euler"},
                                     {"adams_moulton2", "trapezoid"},
                                     {"adams_pece2", "heun"},
                                     {"bdf1", "backward_euler"}})
        for (const Problem& problem : {driven(), chain(0.5)}) {
            const State found = run(*fresh(named(key)), problem, 20);
            const State expected = run(*fresh(named(other)), problem, 20);

            EXPECT_EQ(found.x, expected.x) << key << ' ' << problem.name;
            EXPECT_EQ(found.v, expected.v) << key << ' ' << problem.name;
            EXPECT_EQ(named(key).properties.a_stable, named(other).properties.a_stable) << key;
            EXPECT_EQ(named(key).properties.l_stable, named(other).properties.l_stable) << key;
        }
}

TEST(MethodNames, AdamsPece1CorrectsEulerByItsImplicitForm) {
    // x'' = -4 x - v: x+ = x + h (v + h a), v+ = v + h a(x + h v, v + h a)
    Problem problem = oscillator(4, 1);
    State state{0, scalar(0.7), scalar(-0.2)};
    const double h = 0.1, a = -4 * 0.7 + 0.2, x = 0.7 - 0.2 * h, v = -0.2 + h * a;
    const auto integrator = fresh(named("adams_pece1"));

    ASSERT_TRUE(integrator->step(problem.system, state, h).ok());

    EXPECT_NEAR(state.x[0], 0.7 + h * v, 1e-15);
    EXPECT_NEAR(state.v[0], -0.2 + h * (-4 * x - v), 1e-15);
}

}  // namespace
}  // namespace taffeta::ode

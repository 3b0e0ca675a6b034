#include <gtest/gtest.h>

#include <cmath>

#include "ode/problems.h"
#include "ode/study_helpers.h"
#include "taffeta/ode/study/stability.h"

/// Stability limits, angles and amplification matrices against the numbers of the theory.
namespace taffeta::ode::study {
namespace {

using namespace testing;

constexpr double inf = std::numeric_limits<double>::infinity();

void expect_limit(double found, double expected, const char* what) {
    if (std::isinf(expected)) {
        EXPECT_TRUE(std::isinf(found)) << what << ": " << found;
    } else {
        EXPECT_NEAR(found, expected, 1e-6) << what;
    }
}

TEST(StudyStability, LimitsOnTheAxes) {
    struct Expected {
        const char* key;
        double real, imaginary, spring;
    };
    for (const auto& [key, real, imaginary, spring] :
         {Expected{"explicit_euler", 2, 0, 0},
          {"explicit_midpoint", 2, 0, 0},
          {"kutta3", 2.5127453266, std::sqrt(3.0), std::sqrt(3.0)},
          {"rk4", 2.7852935634, 2 * std::sqrt(2.0), 2 * std::sqrt(2.0)},
          {"symplectic_euler_a", 2, 0, 2},
          {"velocity_verlet", 4, 0, 2},
          {"backward_euler", inf, inf, inf},
          {"implicit_midpoint", inf, inf, inf},
          {"bdf2", inf, inf, inf},
          {"sdirk2", inf, inf, inf}}) {
        const StabilityMeasurement found = measure_stability(method(key));

        expect_limit(found.real_limit, real, key);
        if (std::string(key) != "velocity_verlet" && std::string(key) != "symplectic_euler_a")
            expect_limit(found.imaginary_limit, imaginary, key);
        expect_limit(found.spring_limit, spring, key);
        EXPECT_TRUE(found.agrees) << key;
    }
}

TEST(StudyStability, SeesGrowthThatIsOnlyAPowerOfTheStep) {
    const StabilityMeasurement heun = measure_stability(method("heun"));

    EXPECT_TRUE(heun.weakly_unstable);  // |R(i w)|^2 = 1 + w^4/4
    EXPECT_EQ(heun.imaginary_limit, 0);
    EXPECT_FALSE(measure_stability(method("rk4")).weakly_unstable);
}

TEST(StudyStability, MeasuresEveryMethodAsItIsDeclared) {
    for (const IntegratorEntry* entry : ode::testing::general_integrators()) {
        const StabilityMeasurement found = measure_stability(*entry);

        EXPECT_GE(found.memory, 1) << entry->key;
        EXPECT_TRUE(found.agrees) << entry->key << ": A " << found.a_stable << ", L "
                                  << found.l_stable;
    }
}

TEST(StepMap, OfOneStepMethodsIsTheirRationalFunction) {
    const std::complex<double> z(-0.7, 1.3);
    struct Expected {
        const char* key;
        std::complex<double> value;
    };
    for (const auto& [key, value] :
         {Expected{"explicit_euler", 1.0 + z},
          {"heun", 1.0 + z + z * z / 2.0},
          {"rk4", 1.0 + z + z * z / 2.0 + z * z * z / 6.0 + z * z * z * z / 24.0},
          {"backward_euler", 1.0 / (1.0 - z)},
          {"trapezoid", (1.0 + z / 2.0) / (1.0 - z / 2.0)}}) {
        StepMap map(method(key), StepMap::Equation::dahlquist);

        EXPECT_EQ(map.memory(), 1) << key;
        const auto roots = map.roots(z);
        ASSERT_EQ(roots.size(), 2u);
        // R and its conjugate: of the two real unknowns
        EXPECT_NEAR(roots[0].real(), value.real(), 1e-12) << key;
        EXPECT_NEAR(std::abs(roots[0].imag()), std::abs(value.imag()), 1e-12) << key;
    }
}

TEST(StepMap, OfBdf2IsTheRootsOfItsPolynomial) {
    // (3/2 - z) r^2 - 2 r + 1/2 = 0
    StepMap map(method("bdf2"), StepMap::Equation::dahlquist);
    EXPECT_EQ(map.memory(), 2);
    for (const std::complex<double> z :
         {std::complex<double>(-0.4, 0.3), {0.0, 1.0}, {-20.0, 5.0}}) {
        const std::complex<double> root = std::sqrt(4.0 - 2.0 * (1.5 - z));
        const double largest = std::max(std::abs((2.0 + root) / (3.0 - 2.0 * z)),
                                        std::abs((2.0 - root) / (3.0 - 2.0 * z)));

        EXPECT_NEAR(map.radius(z), largest, 1e-9) << z;
    }
    // |root| - 1 = -1.55e-6, -2.44e-5, -3.64e-4 on the imaginary axis
    EXPECT_NEAR(map.radius({0, 0.05}) - 1, -1.55e-6, 1e-8);
    EXPECT_NEAR(map.radius({0, 0.1}) - 1, -2.44e-5, 1e-7);
    EXPECT_NEAR(map.radius({0, 0.2}) - 1, -3.64e-4, 1e-6);
}

TEST(StepMap, OfSecondOrderMethodsIsTheirMatrix) {
    struct Expected {
        const char* key;
        double w, determinant, radius;
    };
    for (const auto& [key, w, determinant, radius] :
         {Expected{"explicit_euler", 0.5, 1.25, 1.118033988750},
          {"symplectic_euler_a", 0.5, 1, 1},
          {"symplectic_euler_b", 2.5, 1, 4},
          {"velocity_verlet", 1.9, 1, 1},
          {"velocity_verlet", 10, 1, 97.98979486},
          {"newmark", 10, 1, 1},
          {"backward_euler", 0.5, 0.8, 0.894427191},
          {"backward_euler", 10, 1 / 101.0, 0.09950372}}) {
        StepMap map(method(key), StepMap::Equation::oscillator);
        const SpringPoint point = spring_point(map, w);

        EXPECT_NEAR(point.determinant, determinant, 1e-9) << key;
        EXPECT_NEAR(point.radius, radius, 1e-7) << key;
    }
    // Kick, then drift: trace 2 - w^2
    StepMap verlet(method("velocity_verlet"), StepMap::Equation::oscillator);
    EXPECT_NEAR(spring_point(verlet, 0.7).trace, 2 - 0.49, 1e-12);
}

TEST(StabilityRegion, IsSymmetricAndBoundedByOne) {
    StepMap map(method("rk4"), StepMap::Equation::dahlquist);

    const StabilityRegion region = stability_region(map, -4, 1, 4, 21, 33);

    for (int row = 0; row < region.rows; ++row)
        for (int column = 0; column < region.columns; ++column) {
            const std::complex<double> z(region.real(column), region.imaginary(row));
            const std::complex<double> R =
                1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0)));
            EXPECT_NEAR(region.radius[std::size_t(row * region.columns + column)], std::abs(R),
                        1e-10);
        }
}

}  // namespace
}  // namespace taffeta::ode::study

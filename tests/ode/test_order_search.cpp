#include <gtest/gtest.h>

#include <cmath>

#include "taffeta/ode/study/order_search.h"

/// The search for an order on errors whose order is known because they are formulas.
namespace taffeta::ode::study {
namespace {

/// C h^p (1 + c h) with h = 1/N, and rounding that grows as its square root does.
double modelled(double p, double c, double rounding, long steps) {
    const double h = 1 / double(steps);
    // A fixed sequence without a pattern in (-1, 1).
    const double noise = std::sin(12.9898 * double(steps)) * 43758.5453;
    const double sign = 2 * (noise - std::floor(noise)) - 1;
    return std::abs(std::pow(h, p) * (1 + c * h) + rounding * std::sqrt(double(steps)) * sign);
}

TEST(OrderSearch, SeesThroughTheNextTermOfTheError) {
    // With c h as large as 1 at the first steps plain slopes are off by half an order.
    for (const double p : {1.0, 2.0, 4.0, 6.0, 8.0})
        for (const double c : {-5.0, 0.0, 5.0, 20.0}) {
            const OrderFound found = search_order(
                [&](long steps) { return modelled(p, c, 0, steps); }, {.suspicious = 0});

            EXPECT_TRUE(found.settled) << p << ", " << c;
            EXPECT_NEAR(found.order, p, 0.05) << p << ", " << c;
        }
}

TEST(OrderSearch, StopsWhereRoundingBegins) {
    const double rounding = 1e-16;
    for (const double p : {2.0, 4.0, 6.0}) {
        const OrderFound found =
            search_order([&](long steps) { return modelled(p, 5, rounding, steps); },
                         {.first_steps = 10, .suspicious = 1e-9});

        EXPECT_NEAR(found.order, p, 0.1) << p;
        EXPECT_LT(30 * rounding * std::sqrt(double(found.steps)), found.error) << p;
    }
}

TEST(OrderSearch, KnowsThatAllIsRounding) {
    const OrderFound found = search_order([](long steps) { return modelled(40, 0, 1e-16, steps); },
                                          {.suspicious = 1e-9});

    EXPECT_TRUE(found.at_rounding);
    EXPECT_FALSE(std::isfinite(found.order));
}

TEST(OrderSearch, DoesNotTakeABendForAnOrder) {
    // h^4 - 40 h^5 changes its sign at N = 40: no slope before that means anything.
    const OrderFound found =
        search_order([](long steps) { return modelled(4, -40, 0, steps); }, {.first_steps = 20});

    EXPECT_TRUE(found.settled);
    EXPECT_NEAR(found.order, 4, 0.05);
    EXPECT_GT(found.steps, 160);
}

TEST(OrderSearch, LeavesOutWhatIsUnresolvedOrFailed) {
    const auto error = [](long steps) {
        return steps < 100 ? std::nan("") : steps < 300 ? 1e3 : modelled(3, 2, 0, steps);
    };

    const OrderFound found = search_order(error, {});

    EXPECT_NEAR(found.order, 3, 0.02);
    EXPECT_GE(found.steps, 1200);  // two octaves above 300
    EXPECT_GE(found.curve.front().first, 100);
}

}  // namespace
}  // namespace taffeta::ode::study

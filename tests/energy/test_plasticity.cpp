#include <gtest/gtest.h>

#include "sheet.h"
#include "taffeta/energy/plastic.h"

/// Hinges that crease, on two triangles of known shape.
namespace taffeta::energy::test {
namespace {

//   2
//  / \        The hinge is the edge 0-1 of 1 m; both triangles are 0.5 m high: (A1 + A2)/l = 0.5 m.
// 0---1       The corner 3 turns about it.
//  \ /
//   3
class PlasticHinge : public testing::Test {
  protected:
    PlasticHinge()
        : body_(body_of({{0, 0, 0}, {1, 0, 0}, {0.5, 0.5, 0}, {0.5, -0.5, 0}},
                        {{0, 1, 2}, {1, 0, 3}}, {{0, 0}, {1, 0}, {0.5, 0.5}, {0.5, -0.5}})) {}

    std::unique_ptr<Energy> hinge(double yield, double hardening) const {
        return bound(bending_terms(), "hinge",
                     options({{"stiffness", 1.0}, {"yield", yield}, {"hardening", hardening}}),
                     body_);
    }
    VecX folded(double angle) const {
        VecX x = body_.x;
        vec3(x, 3) = Vec3(0.5, -0.5 * std::cos(angle), 0.5 * std::sin(angle));
        return x;
    }
    static PlasticTerm& plastic(const std::unique_ptr<Energy>& energy) {
        return dynamic_cast<PlasticTerm&>(*energy);
    }

    Body body_;
};

TEST_F(PlasticHinge, KeepsWhatIsBeyondTheYieldForGood) {
    for (const double sign : {1.0, -1.0}) {
        const auto energy = hinge(0.6, 0);  // yields at 0.6/m x 0.5 m = 0.3 rad

        plastic(energy).flow(folded(sign * 0.25));
        EXPECT_EQ(plastic(energy).rest_state()[0], 0);
        plastic(energy).flow(folded(sign * 1.0));

        EXPECT_NEAR(std::abs(plastic(energy).rest_state()[0]), 0.7, 1e-12);
        // At rest at 0.7 on the same side; k_e = B l^2/(A1 + A2) = 2.
        EXPECT_NEAR(energy->value(folded(sign * 0.7)), 0, 1e-20);
        EXPECT_NEAR(energy->value(folded(sign * 1.0)), 0.5 * 2 * 0.3 * 0.3, 1e-12);
        // Unfolding it yields the other way.
        plastic(energy).flow(folded(0));
        EXPECT_NEAR(std::abs(plastic(energy).rest_state()[0]), 0.3, 1e-12);
    }
}

TEST_F(PlasticHinge, SpringsBackByItsHardening) {
    const auto energy = hinge(0.6, 0.25);

    plastic(energy).flow(folded(1));

    EXPECT_NEAR(std::abs(plastic(energy).rest_state()[0]), 0.75 * 0.7, 1e-12);
}

TEST_F(PlasticHinge, WithoutAYieldNeverCreases) {
    const auto energy = bound(bending_terms(), "hinge", options({{"stiffness", 1.0}}), body_);

    plastic(energy).flow(folded(2));

    EXPECT_FALSE(plastic(energy).yields());
    EXPECT_EQ(plastic(energy).rest_state()[0], 0);
}

TEST_F(PlasticHinge, GivesItsRestStateAndTakesItBack) {
    const auto creased = hinge(0.6, 0), other = hinge(0.6, 0);
    plastic(creased).flow(folded(1.2));

    plastic(other).set_rest_state(plastic(creased).rest_state());

    EXPECT_EQ(other->value(folded(0.1)), creased->value(folded(0.1)));
}

}  // namespace
}  // namespace taffeta::energy::test

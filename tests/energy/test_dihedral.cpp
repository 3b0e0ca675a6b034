#include <gtest/gtest.h>

#include "references.h"
#include "taffeta/energy/hinge.h"
#include "taffeta/energy/psd.h"

namespace taffeta::energy::test {
namespace {

Dihedral<double> at(const std::array<Vec3, 4>& x) {
    return dihedral(lane_vector(x[0]), lane_vector(x[1]), lane_vector(x[2]), lane_vector(x[3]));
}
Vec12 gradient(const std::array<Vec3, 4>& x) {
    Vec12 g;
    for (std::size_t i = 0; i < 4; ++i)
        g.segment<3>(3 * Eigen::Index(i)) = eigen_vector(at(x).gradient[i]);
    return g;
}
std::array<Vec3, 4> moved(const std::array<Vec3, 4>& x, const Vec12& d, double t) {
    std::array<Vec3, 4> y = x;
    for (std::size_t i = 0; i < 4; ++i)
        y[i] += t * d.segment<3>(3 * Eigen::Index(i));
    return y;
}
Mat12 hessian(const std::array<Vec3, 4>& x) {
    return dihedral_hessian(x[0], x[1], x[2], x[3]);
}

TEST(Dihedral, AngleOfReferenceHinges) {
    EXPECT_NEAR(at(hinge_shallow).angle, -0.5305785240945303, 1e-14);
    EXPECT_NEAR(at(hinge_deep).angle, 2.4584012082995987, 1e-14);
    EXPECT_NEAR(at(hinge_rest).angle, 0, 1e-15);
}

TEST(Dihedral, PositiveWhereNormalsDiverge) {
    //        2            a roof: the tips hang below the ridge 0-1
    //       / .
    //      0---1
    const std::array<Vec3, 4> roof = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 1, -1),
                                      Vec3(0.5, -1, -1)};

    EXPECT_NEAR(at(roof).angle, std::numbers::pi / 2, 1e-15);
}

TEST(Dihedral, GradientOfReferenceHinge) {
    const double expected[12] = {-0.6207392618809772, -1.3836686819169635, 29.032555150250914,
                                 -0.5441635320364151, 1.2132395434017749,  27.87725261318611,
                                 0.6871247237240952,  7.752559382887074,   -25.91655207959359,
                                 0.47777807019329693, -7.582130244371886,  -30.993255683843433};

    const Vec12 g = gradient(hinge_shallow);

    for (int i = 0; i < 12; ++i)
        EXPECT_NEAR(g[i], expected[i], 1e-10 * 30);
}

TEST(Dihedral, GradientAndHessianConvergeAtSecondOrder) {
    const Vec12 d = 0.01 * random_direction(12);
    for (const auto& x : {hinge_shallow, hinge_deep}) {
        const double first = observed_order(
            [&](double t) {
                return std::abs(at(moved(x, d, t)).angle - at(x).angle - t * gradient(x).dot(d));
            },
            1e-3);
        const double second = observed_order(
            [&](double t) {
                return (gradient(moved(x, d, t)) - gradient(x) - t * hessian(x) * d).norm();
            },
            1e-3);

        EXPECT_NEAR(first, 2, 0.05);
        EXPECT_NEAR(second, 2, 0.05);
    }
}

TEST(Dihedral, HessianIsSymmetric) {
    for (const auto& x : {hinge_shallow, hinge_deep, hinge_rest}) {
        const Mat12 H = hessian(x);

        EXPECT_LT((H - H.transpose()).norm(), 1e-13 * H.norm());
    }
}

TEST(Dihedral, DegenerateFaceGivesFiniteNumbers) {
    //  0---2---1   vertex 2 lies on the edge; and an edge of no length
    const std::array<Vec3, 4> flat = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(.5, 0, 0),
                                      Vec3(.5, -1, 0)};
    const std::array<Vec3, 4> point = {Vec3(0, 0, 0), Vec3(0, 0, 0), Vec3(.5, 1, 0),
                                       Vec3(.5, -1, 0)};

    EXPECT_TRUE(gradient(flat).allFinite());
    EXPECT_TRUE(std::isfinite(at(flat).angle));
    EXPECT_TRUE(gradient(point).allFinite());
    EXPECT_TRUE(std::isfinite(at(point).angle));
}

void expect_hinge(const std::array<Vec3, 4>& x, const Reference<4>& expected) {
    const double k = hinge_stiffness(1e-5, 1, 0.05, 0.001 + 0.00075);
    const double angle = at(x).angle;
    const Vec12 f = -k * angle * gradient(x);
    const Mat12 H = hinge_hessian(x, k, 0, PsdRule::exact);
    const Mat12 clamped = hinge_hessian(x, k, 0, PsdRule::clamp);
    const Mat12 gauss_newton = hinge_hessian(x, k, 0, PsdRule::automatic);

    EXPECT_NEAR(k, 1.428571428571429e-05, 1e-19);
    EXPECT_NEAR(k / 2 * angle * angle, expected.energy, 1e-10 * expected.energy);
    for (int i = 0; i < 12; ++i)
        EXPECT_NEAR(f[i], expected.force[std::size_t(i / 3)][std::size_t(i % 3)], 1e-10 * f.norm());
    EXPECT_NEAR(H(0, 0), expected.h00, 1e-10 * expected.norm);
    EXPECT_NEAR(H(0, 4), expected.h04, 1e-10 * expected.norm);
    EXPECT_NEAR(H(2, 5), expected.h25, 1e-10 * expected.norm);
    EXPECT_NEAR(H(1, 11), expected.h1_last, 1e-10 * expected.norm);
    EXPECT_NEAR(H.trace(), expected.trace, 1e-10 * expected.norm);
    EXPECT_NEAR(H.norm(), expected.norm, 1e-10 * expected.norm);
    EXPECT_NEAR(clamped.trace(), expected.clamp_trace, 1e-10 * expected.norm);
    EXPECT_NEAR(clamped.norm(), expected.clamp_norm, 1e-10 * expected.norm);
    EXPECT_NEAR(gauss_newton.trace(), expected.gauss_newton_trace, 1e-10 * expected.norm);
    EXPECT_EQ((oracle::eigenvalues(H).array() < -1e-9 * H.norm()).count(), 4);
}

TEST(Hinge, ReferenceHinges) {
    expect_hinge(hinge_shallow, bend_shallow);
    expect_hinge(hinge_deep, bend_deep);
}

TEST(Hinge, DirectionalStiffnessOfOrthotropicPlate) {
    const BendingStiffness B{24.2e-6, 16e-6, 18.3e-6};

    EXPECT_DOUBLE_EQ(B.along(Vec2(3, 0)), 24.2e-6);
    EXPECT_DOUBLE_EQ(B.along(Vec2(0, -2)), 16e-6);
    EXPECT_NEAR(B.along(Vec2(1, 1)), 18.3e-6, 1e-20);
    EXPECT_NEAR(B.along(Vec2(-1, 1)), 18.3e-6, 1e-20);
}

TEST(Hinge, IsotropicStiffnessHasNoDirection) {
    const BendingStiffness B{1e-5, 1e-5, 1e-5};

    for (double phi = 0; phi < 3; phi += 0.1)
        EXPECT_NEAR(B.along(Vec2(std::cos(phi), std::sin(phi))), 1e-5, 1e-19);
}

TEST(Hinge, RefusesBiasThatMakesADirectionSoft) {
    const EnergyEntry& entry = find_entry(bending_terms(), "bending", "hinge");

    EXPECT_THROW(entry.make(options({{"warp", 1e-4}, {"weft", 1e-6}, {"bias", 1e-5}})), Error);
    EXPECT_NO_THROW(entry.make(options({{"warp", 1e-4}, {"weft", 1e-6}, {"bias", 3e-5}})));
    EXPECT_THROW(entry.make(options({{"beta", 0.0}})), Error);
}

TEST(Hinge, InspectReportsFoldedHinges) {
    Body body = hinge_body(hinge_rest);
    auto energy = bound(bending_terms(), "hinge", Settings::object(), body);
    Diagnostics flat, folded;
    energy->inspect(body.x, flat);

    vec3(body.x, 3) = Vec3(.03, .03, -1e-3);
    energy->inspect(body.x, folded);

    EXPECT_TRUE(flat.empty());
    ASSERT_EQ(folded.size(), 1u);
    EXPECT_NE(folded[0].message.find("1 hinges"), std::string::npos);
}

}  // namespace
}  // namespace taffeta::energy::test

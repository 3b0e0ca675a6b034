#include <gtest/gtest.h>

#include <numbers>

#include "sheet.h"
#include "taffeta/energy/springs.h"

/// Springs that stand for energies, in what they are made to agree with them.
namespace taffeta::energy::test {
namespace {

constexpr double pi = std::numbers::pi;

/// Merged springs of one energy over a body.
std::vector<EnergySpring> springs_of(Registry<EnergyEntry> registry, const char* key,
                                     const Settings& settings, const Body& body) {
    auto energy = find_entry(registry, "energy", key).make(settings);
    Diagnostics diagnostics;
    energy->bind(body.view(), diagnostics);
    std::vector<EnergySpring> springs;
    EXPECT_TRUE(energy->add_springs(body.view(), springs));
    merge_springs(springs);
    return springs;
}

double value(const std::vector<EnergySpring>& springs, const VecX& x) {
    double sum = 0;
    for (const EnergySpring& s : springs) {
        const double C = (vec3(x, s.i) - vec3(x, s.j)).norm() - s.length;
        sum += s.stiffness * C * C / 2;
    }
    return sum;
}

/// Unit square of right triangles, or the strip of equilateral ones that a Poisson's ratio of 1/3
/// has springs for.
Body lattice(bool equilateral) {
    Body body(mesh::grid(20, 20, 1, 1, mesh::Tessellation::regular, 0));
    if (!equilateral) return body;
    mesh::TriMesh sheared = body.mesh;
    const auto move = [](double u, double v) { return Vec2(u - v / 2, v * std::sqrt(3.0) / 2); };
    for (Vec3& p : sheared.position) {
        const Vec2 to = move(p.x(), p.y());
        p = Vec3(to.x(), to.y(), 0);
    }
    for (Vec2& uv : sheared.uv)
        uv = move(uv.x(), uv.y());
    return Body(sheared);
}

TEST(EdgeSprings, OfRightTrianglesStretchAlongTheirSidesAsTheWarp) {
    // k_sh = 0: nothing along the diagonals, so that a stretch of the warp is the warp springs' alone.
    const Body body = lattice(false);
    const Settings cloth =
        options({{"stretch_warp", 200.0}, {"stretch_weft", 70.0}, {"shear", 0.0}});
    VecX x = body.x;
    for (Eigen::Index i = 0; i < x.size(); i += 3)
        x[i] *= 1.01;

    const auto springs = springs_of(membrane_laws(), "baraff_witkin", cloth, body);

    EXPECT_NEAR(value(springs, x), 200 * 0.01 * 0.01 / 2, 1e-7);
    EXPECT_LE(value(springs, body.x), 1e-20);
}

TEST(EdgeSprings, DoNotDependOnTheMeshSize) {
    const Settings cloth = options({{"stretch_warp", 200.0}, {"shear", 30.0}});
    const auto energy = [&](int cells) {
        const Body body(mesh::grid(cells, cells, 1, 1, mesh::Tessellation::regular, 0));
        VecX x = body.x;
        for (Eigen::Index i = 0; i < x.size(); i += 3)
            x[i] += 0.01 * x[i] + 0.02 * x[i + 1];
        return value(springs_of(membrane_laws(), "baraff_witkin", cloth, body), x);
    };

    EXPECT_NEAR(energy(8) / energy(64), 1, 1e-12);
}

TEST(EdgeSprings, AreOncePerEdgeAndDampAsTheirTriangles) {
    Body body = lattice(false);

    const auto springs = springs_of(membrane_laws(), "stvk", options({{"tau", 0.02}}), body);

    ASSERT_EQ(springs.size(), body.topology.edge.size());
    for (const EnergySpring& s : springs) {
        EXPECT_LT(s.i, s.j);
        EXPECT_NEAR(s.damping, 0.02 * s.stiffness, 1e-10);
        EXPECT_NEAR(s.length, (vec3(body.x, s.i) - vec3(body.x, s.j)).norm(), 1e-12);
    }
}

TEST(EdgeSprings, OfEquilateralTrianglesAreVanGeldersAndHisSheet) {
    // k = E t sum A/l^2: inner edges have sqrt(3)/2 E t; nu = 1/3 is what this lattice has itself,
    // with a modulus of (2/sqrt 3) k = E t.
    const Body body = lattice(true);
    const double E = 1e5, t = 1e-3;

    const auto springs =
        springs_of(membrane_laws(), "stvk",
                   options({{"young", E}, {"poisson", 1. / 3}, {"thickness", t}}), body);

    double largest = 0;
    for (const EnergySpring& s : springs)
        largest = std::max(largest, s.stiffness);
    EXPECT_NEAR(largest, std::sqrt(3.0) / 2 * E * t, 1e-6 * E * t);
}

TEST(HingeSprings, CostWhatTheHingeCostsAtARightAngle) {
    // Two triangles on the edge 0 1, unequal and skew:  vertex 3 below, vertex 2 above.
    mesh::TriMesh pair;
    pair.position = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.3, 0.8, 0), Vec3(0.6, -0.5, 0)};
    pair.face = {{0, 1, 2}, {1, 0, 3}};
    for (const Vec3& p : pair.position)
        pair.uv.emplace_back(p.x(), p.y());
    pair.face_uv = pair.face;
    const Body body(pair);
    const auto folded = [&](double angle) {
        VecX x = body.x;
        vec3(x, 3) = Vec3(0.6, -0.5 * std::cos(angle), 0.5 * std::sin(angle));
        return x;
    };

    const auto springs = springs_of(bending_terms(), "hinge", options({{"stiffness", 2e-5}}), body);

    // k_e = B l^2/(A1 + A2), l = 1, A = 0.4 and 0.25
    const double k_e = 2e-5 / 0.65;
    ASSERT_EQ(springs.size(), 1u);
    EXPECT_EQ(springs[0].i, 2);
    EXPECT_EQ(springs[0].j, 3);
    EXPECT_NEAR(springs[0].length, (vec3(body.x, 2) - vec3(body.x, 3)).norm(), 1e-15);
    EXPECT_NEAR(value(springs, folded(pi / 2)), k_e * (pi / 2) * (pi / 2) / 2, 1e-15);
    EXPECT_LT(value(springs, folded(0.2)), k_e * 0.2 * 0.2 / 2);
}

TEST(MergedSprings, HaveTheSummedEnergyUpToAConstant) {
    std::vector<EnergySpring> springs = {
        {1, 0, 1.0, 3, 0.1}, {2, 1, 5.0, 0, 0}, {0, 1, 1.4, 1, 0.2}};
    const std::vector<EnergySpring> apart = springs;
    const auto at = [](double length) -> VecX {
        VecX x = VecX::Zero(9);
        x[3] = length;
        return x;
    };

    merge_springs(springs);

    ASSERT_EQ(springs.size(), 1u);
    EXPECT_NEAR(springs[0].damping, 0.3, 1e-15);
    const double constant = value(apart, at(1)) - value(springs, at(1));
    EXPECT_NEAR(value(apart, at(2.5)) - value(springs, at(2.5)), constant, 1e-12);
}

}  // namespace
}  // namespace taffeta::energy::test

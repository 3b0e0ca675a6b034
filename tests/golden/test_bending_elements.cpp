#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bending_cases.h"

/// Bending terms against plates, beams and the elastica: above all that Morley's element converges on
/// every mesh, which the others do not.
namespace taffeta::bending_cases {
namespace {

const Term morley{"morley"};
constexpr Family families[] = {Family::regular, Family::alternating, Family::irregular,
                               Family::delaunay};

TEST(BendingElements, MorleyConvergesToSmoothSurfacesOnEveryMesh) {
    for (const Family family : families)
        for (const Surface surface : {Surface::cylinder, Surface::cap, Surface::twist}) {
            // Random meshes differ from size to size: the mean of three.
            double coarse = 0, fine = 0;
            for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                coarse += surface_error(morley, family, 12, surface, seed) / 3;
                fine += surface_error(morley, family, 48, surface, seed) / 3;
            }

            // Second order would be a factor of 16. On lattices the three rows that are held at the
            // edge, a quarter of the coarse sheet, hide half of its error.
            EXPECT_LT(fine, 1e-4) << name_of(family) << ' ' << int(surface);
            EXPECT_LT(fine, coarse / (family == Family::regular ? 3 : 4))
                << name_of(family) << ' ' << int(surface);
        }
}

TEST(BendingElements, TheOthersDoNotConvergeOnIrregularMeshes) {
    for (const char* key : {"hinge", "plate"})
        EXPECT_GT(surface_error({key}, Family::irregular, 48, Surface::cap), 1e-3) << key;
}

TEST(BendingElements, MorleyDeflectsAStripAsABeamAtSecondOrder) {
    // q L^4/(8 B), nu = 0
    for (const Family family : families) {
        const double coarse = small_deflection(morley, {family, 10, 1}) - 1;
        const double fine = small_deflection(morley, {family, 40, 1}) - 1;

        EXPECT_LT(std::abs(coarse), 0.01) << name_of(family);
        EXPECT_LT(std::abs(fine), std::abs(coarse) / 10) << name_of(family);
    }
}

TEST(BendingElements, MorleyMeetsTheElasticaOnRegularAndIrregularMeshes) {
    constexpr struct {
        double gamma, width, height;
    } elastica[] = {{1, 0.991246, 0.123471}, {10, 0.656354, 0.700200}};
    for (const Family family : {Family::regular, Family::irregular, Family::delaunay})
        for (const auto& exact : elastica) {
            const Vec2 found = heavy_cantilever(morley, {family, 20, 1}, exact.gamma);

            EXPECT_NEAR(found[0], exact.width, 0.01 * exact.width)
                << name_of(family) << ", Gamma " << exact.gamma;
            EXPECT_NEAR(found[1], exact.height, 0.01 * exact.height)
                << name_of(family) << ", Gamma " << exact.gamma;
        }
}

TEST(BendingElements, MorleyGivesTheChordOfTheStandardCantileverTest) {
    // ASTM D1388: 41.5 degrees at Gamma = 8 c^3/c^3 = 8.0042 by the elastica.
    const Vec2 tip = heavy_cantilever(morley, {Family::irregular, 20, 2}, 8.0042);

    EXPECT_NEAR(std::atan2(tip[1], tip[0]) * 180 / std::numbers::pi, 41.5, 0.4);
}

TEST(BendingElements, MorleyBendsUnderAForceAtItsTip) {
    // The elastica at alpha = 4; the benchmark of [Sze04] prints 0.3286 and 0.6698 for its shells.
    for (const Family family : {Family::regular, Family::irregular}) {
        const Vec2 tip = tip_loaded_cantilever(morley, {family, 20, 1}, 4);

        EXPECT_NEAR(tip[0], 0.328941, 0.01 * 0.328941) << name_of(family);
        EXPECT_NEAR(tip[1], 0.669964, 0.01 * 0.669964) << name_of(family);
    }
}

TEST(BendingElements, MorleyVibratesAsABeam) {
    for (const Family family : {Family::regular, Family::irregular, Family::delaunay})
        for (const double ratio : strip_frequencies(morley, {family, 32, 1}))
            EXPECT_NEAR(ratio, 1, 0.01) << name_of(family);
}

TEST(BendingElements, MorleyBucklesSidewaysAsANarrowStrip) {
    // 18.178 (1 - nu) sqrt(1 + nu) for a vanishing height; what a height adds is linear in it.
    for (const Family family : {Family::regular, Family::irregular}) {
        const double high = lateral_buckling(morley, {family, 80, 1}, 0.3, 0.1);
        const double low = lateral_buckling(morley, {family, 80, 1}, 0.3, 0.05);

        EXPECT_NEAR(low, 14.51, 0.05 * 14.51) << name_of(family);
        // Two random meshes of four and eight cells differ by chance.
        EXPECT_NEAR(2 * low - high, 14.51, (family == Family::regular ? 0.01 : 0.04) * 14.51)
            << name_of(family);
    }
}

}  // namespace
}  // namespace taffeta::bending_cases

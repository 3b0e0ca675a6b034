#include <gtest/gtest.h>

#include <cmath>

#include "../helpers/particles.h"
#include "taffeta/contact/obstacle.h"

// The box of the drop scenes: 1.4 m x 1.4 m x 0.2 m with a hole of 0.4 m, edges of radius 5 mm.
//
//      z   ______      ______
//         /      \    /      \      0.2 < |x| < 0.7 at y = 0
//         |      |    |      |
//         \______/    \______/
namespace taffeta::contact {
namespace {

std::unique_ptr<Obstacle> frame(double rounding = 0.005, const Vec2& hole = Vec2(0.2, 0.2)) {
    Settings options = Settings::object();
    options["half_size"] = vector_setting(Vec3(0.7, 0.7, 0.1));
    options["hole"] = Settings::array();
    options["hole"].items() = {Settings::of(hole.x()), Settings::of(hole.y())};
    options["rounding"] = Settings::of(rounding);
    return find_entry(obstacles(), "obstacle", "frame").make(options);
}

TEST(Frame, DistancesAreThoseOfItsParts) {
    const auto box = frame();
    const double r = 0.005, diagonal = std::sqrt(0.5);
    const struct {
        Vec3 p;
        double distance;
        Vec3 normal;
    } cases[] = {
        {{0.45, 0, 0.3}, 0.2, {0, 0, 1}},           // above the top
        {{0.45, 0.1, -0.4}, 0.3, {0, 0, -1}},       // below
        {{0.15, 0.02, 0}, 0.05, {-1, 0, 0}},        // in the hole, beside its wall
        {{0.02, -0.19, 0.05}, 0.01, {0, 1, 0}},     // in the hole, beside another
        {{0.45, 0, 0.09}, -0.01, {0, 0, 1}},        // inside, under the top
        {{0.24, 0, 0}, -0.04, {-1, 0, 0}},          // inside, behind the wall of the hole
        {{0.23, 0.24, 0}, -0.05, {-0.6, -0.8, 0}},  // inside, behind the sharp edge of the hole
        {{0.9, 0, 0}, 0.2, {1, 0, 0}},              // beside
        // The rims are quarter tubes about (0.695, 0.095) and (0.205, 0.095).
        {{0.795, 0, 0.195}, 0.1 / diagonal - r, {diagonal, 0, diagonal}},
        {{0.195, 0, 0.105}, 0.01 / diagonal - r, {-diagonal, 0, diagonal}},
    };
    for (const auto& [p, distance, normal] : cases) {
        const Sample sample = box->sample(p, 0);

        EXPECT_NEAR(sample.distance, distance, 1e-15) << p.transpose();
        EXPECT_LT((sample.normal - normal).norm(), 1e-13) << p.transpose();
    }
}

TEST(Frame, TheSurfaceIsClosedButForItsSharpEdges) {
    // The volume by the divergence theorem: block less hole less what the rounding takes away.
    const double r = 0.005;
    const mesh::TriMesh surface = frame(r)->surface(0);
    double volume = 0;
    for (const auto& [a, b, c] : surface.face)
        volume += surface.position[std::size_t(a)].dot(
                      surface.position[std::size_t(b)].cross(surface.position[std::size_t(c)])) /
                  6;

    // Removed along an edge of length l: (1 - pi/4) r^2 l; edges are 8 x 1.4, 4 x 0.2 and 8 x 0.4 m,
    // and the ends of these tubes are of order r^3. Facets of 22.5 degrees add 2.6 % of the tube.
    const double tubes = (1 - M_PI / 4) * r * r * (8 * 1.4 + 4 * 0.2 + 8 * 0.4);
    EXPECT_NEAR(volume, 1.4 * 1.4 * 0.2 - 0.4 * 0.4 * 0.2 - tubes, 0.15 * tubes);
}

TEST(Frame, SharpEdgesAndOblongHolesWork) {
    const auto box = frame(0, Vec2(0.3, 0.1));

    EXPECT_NEAR(box->sample(Vec3(0.29, 0, 0), 0).distance, 0.01, 1e-15);
    EXPECT_NEAR(box->sample(Vec3(0.03, 0.09, 0), 0).distance, 0.01, 1e-15);
    EXPECT_NEAR(box->sample(Vec3(0.73, 0, 0.14), 0).distance, 0.05, 1e-15);
    for (const Vec3& p : box->surface(0).position)
        EXPECT_NEAR(box->sample(p, 0).distance, 0, 1e-15);
}

TEST(Frame, ImpossibleSizesAreErrors) {
    EXPECT_THROW(frame(0.005, Vec2(0.7, 0.2)), Error);
    EXPECT_THROW(frame(0.11), Error);
    EXPECT_THROW(frame(0.03, Vec2(0.65, 0.2)), Error);
}

}  // namespace
}  // namespace taffeta::contact

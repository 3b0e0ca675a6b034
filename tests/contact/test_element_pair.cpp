#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "taffeta/contact/element_pair.h"

// Nearest points of two elements, against a search over all weights.
namespace taffeta::contact {
namespace {

constexpr CcdKind kinds[] = {CcdKind::vertex_face, CcdKind::edge_edge};

/// The least distance over a fine grid of weights: an upper bound that is close.
double searched_distance(CcdKind kind, const Corners& x, int steps) {
    double least = INFINITY;
    for (int i = 0; i <= steps; ++i)
        for (int j = 0; j <= steps; ++j) {
            const double a = double(i) / steps, b = double(j) / steps;
            Weights weight;
            if (kind == CcdKind::edge_edge) {
                weight = {1 - a, a, -(1 - b), -b};
            } else {
                if (i + j > steps) continue;
                weight = {1, -(1 - a - b), -a, -b};
            }
            least = std::min(least, weighted(weight, x).norm());
        }
    return least;
}

Corners random_corners(std::mt19937& random, bool degenerate) {
    std::uniform_real_distribution<double> coordinate(-1, 1);
    Corners x;
    for (Vec3& corner : x)
        corner = Vec3(coordinate(random), coordinate(random), coordinate(random));
    if (degenerate) x[3] = x[2] + 0.5 * (x[2] - x[1]);  // no area; parallel to nothing
    return x;
}

TEST(ElementPair, NearestPointsAreNoFartherThanAnyOther) {
    std::mt19937 random(3);
    for (const CcdKind kind : kinds)
        for (int k = 0; k < 400; ++k) {
            const Corners x = random_corners(random, k % 4 == 3);

            const Weights weight = nearest_weights(kind, x);

            const double found = weighted(weight, x).norm();
            const double searched = searched_distance(kind, x, 60);
            ASSERT_LE(found, searched + 1e-12);
            ASSERT_GT(found, searched - 0.1);  // half a cell of the grid
            ASSERT_NEAR(weight[0] + weight[1] + weight[2] + weight[3], 0, 1e-14);
            const std::size_t firsts = kind == CcdKind::vertex_face ? 1 : 2;
            for (std::size_t j = 0; j < 4; ++j)
                ASSERT_GE(j < firsts ? weight[j] : -weight[j], -1e-15);
        }
}

TEST(ElementPair, NearestPointsOfParallelEdgesAreOneDistanceApart) {
    const Corners x{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, 0, 0.2), Vec3(2, 0, 0.2)};

    const Nearness near = nearness(CcdKind::edge_edge, x);

    EXPECT_NEAR(near.distance, 0.2, 1e-15);
    EXPECT_NEAR((near.normal - Vec3(0, 0, -1)).norm(), 0, 1e-14);
}

TEST(ElementPair, TheNormalOfTouchingElementsIsAtRightAnglesToBoth) {
    const Corners face{Vec3(0.25, 0.25, 1e-15), Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};

    const Nearness near = nearness(CcdKind::vertex_face, face);

    EXPECT_EQ(near.normal, Vec3(0, 0, 1));  // on the side where the vertex lies
}

/// One unit in the last place above or below the plane z = x + y, which holds to the bit: less than the rounding
/// of nearest points.
TEST(ElementPair, AndItsSideIsExact) {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> grid(-100, 100);
    const auto on_plane = [&](int x, int y) {
        const Vec3 p(std::ldexp(x + grid(random), -10), std::ldexp(y + grid(random), -10), 0);
        return Vec3(p.x(), p.y(), p.x() + p.y());
    };
    for (int k = 0; k < 100; ++k) {
        const double side = k % 2 == 0 ? 1 : -1, level = std::ldexp(1, -10);
        const auto off_plane = [&](int x) {
            const double along = std::ldexp(x + grid(random), -10);
            return Vec3(along, level - along, std::nextafter(level, side));
        };
        const Corners face{off_plane(0), on_plane(-1024, -1024), on_plane(2048, -1024),
                           on_plane(-1024, 2048)};
        const Corners edges{off_plane(-1024), off_plane(1024), on_plane(-1024, -1024),
                            on_plane(1024, 1024)};

        EXPECT_GT(side * nearness(CcdKind::vertex_face, face).normal.z(), 0.5);
        EXPECT_GT(side * nearness(CcdKind::edge_edge, edges).normal.z(), 0.5);
    }
}

TEST(ElementPair, APointForAFaceHasADistanceToo) {
    const Vec3 p(1, 2, 3);
    const Corners x{p + Vec3(0, 0, 2), p, p, p};

    EXPECT_NEAR(nearness(CcdKind::vertex_face, x).distance, 2, 1e-15);
    EXPECT_TRUE(common_normal(CcdKind::vertex_face, x).isZero(0));
}

}  // namespace
}  // namespace taffeta::contact

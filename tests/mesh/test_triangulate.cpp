#include "taffeta/mesh/triangulate.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace taffeta::mesh {
namespace {

struct Cut {
    PolygonKind kind;
    std::vector<Triangle> triangles;
    double area = 0, smallest = 1e300;  ///< signed, seen from +z
};

Cut cut(const std::vector<Vec3>& corner) {
    Cut result;
    result.kind = triangulate(corner, result.triangles);
    for (const auto& [a, b, c] : result.triangles) {
        const Vec3 p = corner[std::size_t(b)] - corner[std::size_t(a)];
        const Vec3 q = corner[std::size_t(c)] - corner[std::size_t(a)];
        const double area = p.cross(q).z() / 2;
        result.area += area;
        result.smallest = std::min(result.smallest, area);
    }
    return result;
}

std::vector<Vec3> ring(int corners, int turns, double tilt = 0) {
    std::vector<Vec3> corner;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2 * std::numbers::pi * i * turns / corners;
        corner.emplace_back(std::cos(angle), std::sin(angle), tilt * std::cos(angle));
    }
    return corner;
}

TEST(Triangulate, ConvexPolygonsAreFans) {
    const Cut pentagon = cut(ring(5, 1));

    EXPECT_EQ(pentagon.kind, PolygonKind::convex);
    EXPECT_EQ(pentagon.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
    EXPECT_EQ(cut(ring(20000, 1, .5)).kind, PolygonKind::convex);
}

///   teeth of a comb on a bar: every other corner is reflex
TEST(Triangulate, AConcavePolygonIsCoveredOnce) {
    std::vector<Vec3> comb = {{0, -1, 0}, {10, -1, 0}};
    for (int tooth = 10; tooth > 0; --tooth) {
        comb.emplace_back(tooth, 2, 0);
        comb.emplace_back(tooth - .5, 0, 0);
    }
    comb.emplace_back(0, 2, 0);
    double area = 0;
    for (std::size_t i = 0; i < comb.size(); ++i)
        area += comb[i].cross(comb[(i + 1) % comb.size()]).z() / 2;

    const Cut result = cut(comb);

    EXPECT_EQ(result.kind, PolygonKind::concave);
    EXPECT_EQ(result.triangles.size(), comb.size() - 2);
    EXPECT_NEAR(result.area, area, 1e-12);
    EXPECT_GT(result.smallest, 0);
}

/// A fan from the first corner would begin with the flat triangle 0 1 2.
///   3 ------- 4
///   |         |       corners 0, 1, 2 on the lower edge
///   0 -- 1 -- 2
TEST(Triangulate, CornersOnALineMakeNoFlatTriangle) {
    const Cut result = cut({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}});

    EXPECT_EQ(result.triangles.size(), 3u);
    EXPECT_NEAR(result.area, 2, 1e-15);
    EXPECT_GT(result.smallest, .1);
}

TEST(Triangulate, CrossedAndFlatPolygonsAreSaidToBeSo) {
    EXPECT_EQ(cut(ring(5, 2)).kind, PolygonKind::not_simple);
    EXPECT_EQ(cut({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}).kind, PolygonKind::not_simple);
    EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).kind, PolygonKind::not_simple);
    EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).triangles.size(), 2u);
}

}  // namespace
}  // namespace taffeta::mesh

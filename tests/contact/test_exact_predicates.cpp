#include "taffeta/contact/exact_predicates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace taffeta::contact {
namespace {

__extension__ using Wide = __int128;

int sign_of(Wide value) {
    return value == 0 ? 0 : (value > 0 ? 1 : -1);
}

/// Integers below 2^40: 128 bits hold the volume exactly.
int volume_sign(const std::array<std::array<std::int64_t, 3>, 4>& p) {
    Wide w[3][3];
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k)
            w[i][k] = p[i + 1][k] - p[0][k];
    return sign_of(w[2][0] * (w[0][1] * w[1][2] - w[0][2] * w[1][1]) +
                   w[2][1] * (w[0][2] * w[1][0] - w[0][0] * w[1][2]) +
                   w[2][2] * (w[0][0] * w[1][1] - w[0][1] * w[1][0]));
}

/// The fourth point within one unit of the plane of the others: doubles see zero, or the wrong side.
TEST(ExactPredicates, SeeTheSideOfNearlyCoplanarPoints) {
    std::mt19937_64 random(11);
    int zero = 0, positive = 0, negative = 0;
    for (int k = 0; k < 20000; ++k) {
        std::array<std::array<std::int64_t, 3>, 4> p;
        const int bits = 3 + int(random() % 34);
        for (auto& point : p)
            for (auto& x : point)
                x = 8 * (std::int64_t(random() % (std::uint64_t(1) << bits)) -
                         (std::int64_t(1) << (bits - 1)));
        const bool off = random() % 3 != 0;
        const std::int64_t part = std::int64_t(random() % 5) - 2;
        for (std::size_t axis = 0; axis < 3; ++axis)
            p[3][axis] = p[0][axis] / 2 + p[1][axis] / 2 + part * (p[2][axis] - p[1][axis]) / 8 +
                         (off ? std::int64_t(random() % 3) - 1 : 0);
        std::array<Vec3, 4> x;
        for (std::size_t i = 0; i < 4; ++i)
            x[i] = Vec3(double(p[i][0]), double(p[i][1]), double(p[i][2])) * 0x1p-20;

        const int expected = volume_sign(p);

        ASSERT_EQ(orientation_3d(x[0], x[1], x[2], x[3]), expected) << k;
        ASSERT_EQ(orientation_3d(x[1], x[0], x[2], x[3]), -expected) << k;
        zero += expected == 0;
        positive += expected > 0;
        negative += expected < 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
            const Wide area = Wide(p[1][u] - p[0][u]) * (p[2][v] - p[0][v]) -
                              Wide(p[1][v] - p[0][v]) * (p[2][u] - p[0][u]);
            ASSERT_EQ(orientation_2d(x[0], x[1], x[2], int(axis)), sign_of(area)) << k;
        }
    }
    EXPECT_GT(zero, 100);
    EXPECT_GT(positive, 1000);
    EXPECT_GT(negative, 1000);
}

const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);

bool meets(const Vec3& p, const Vec3& q) {
    const bool answer = segment_meets_triangle(p, q, a, b, c);
    EXPECT_EQ(segment_meets_triangle(q, p, b, a, c), answer);
    return answer;
}

TEST(ExactPredicates, ASegmentMeetsATriangleAlsoAtItsRim) {
    const double out = std::nextafter(0.5, 1);

    EXPECT_TRUE(meets({0.25, 0.25, -1}, {0.25, 0.25, 1}));
    EXPECT_TRUE(meets({0.25, 0.25, 0}, {0.25, 0.25, 1}));
    EXPECT_FALSE(meets({0.25, 0.25, 1e-40}, {0.25, 0.25, 1}));
    EXPECT_TRUE(meets({0.5, 0.5, -1}, {0.5, 0.5, 1}));
    EXPECT_FALSE(meets({out, 0.5, -1}, {out, 0.5, 1}));
    EXPECT_TRUE(meets({0, 0, -1}, {0, 0, 1}));
    EXPECT_FALSE(meets({-1e-40, 0.5, -1}, {-1e-40, 0.5, 1}));
}

TEST(ExactPredicates, ASegmentMeetsATriangleInItsPlane) {
    EXPECT_TRUE(meets({-1, 0.25, 0}, {2, 0.25, 0}));   // across
    EXPECT_TRUE(meets({0.1, 0.1, 0}, {0.2, 0.2, 0}));  // inside
    EXPECT_TRUE(meets({-1, 1, 0}, {1, 1, 0}));         // through a corner
    EXPECT_TRUE(meets({-1, 0, 0}, {0, 0, 0}));
    EXPECT_FALSE(meets({-1, 1.1, 0}, {2, 1.1, 0}));
    EXPECT_FALSE(meets({2, 0, 0}, {3, 0, 0}));
}

TEST(ExactPredicates, TrianglesMayBeSegmentsAndPoints) {
    const Vec3 d(2, 0, 0), up(0, 0, 1);

    EXPECT_TRUE(segment_meets_triangle(b - up, b + up, a, b, d));
    EXPECT_FALSE(segment_meets_triangle(c - up, c + up, a, b, d));
    // Past a segment that lies askew in the same box
    EXPECT_FALSE(segment_meets_triangle(b - up, c + up, a, 0.5 * (b + c + up), b + c + up));
    EXPECT_TRUE(segment_meets_triangle(a - up, a + up, a, a, a));
    EXPECT_FALSE(segment_meets_triangle(b - up, b + up, a, a, a));
    EXPECT_TRUE(segment_meets_triangle(b, b, a, b, c));
}

TEST(ExactPredicates, ASegmentFromACornerEntersOnlyInThePlane) {
    EXPECT_TRUE(segment_enters_corner(a, {0.5, 0.5, 0}, b, c));
    EXPECT_TRUE(segment_enters_corner(a, {3, 0, 0}, b, c));  // along an edge
    EXPECT_FALSE(segment_enters_corner(a, {0.5, 0.5, 1e-40}, b, c));
    EXPECT_FALSE(segment_enters_corner(a, {-1, 0.5, 0}, b, c));
    EXPECT_FALSE(segment_enters_corner(a, {-1, -1, 0}, b, c));
    EXPECT_FALSE(segment_enters_corner(a, {0.5, -1e-40, 0}, b, c));
    EXPECT_FALSE(segment_enters_corner(a, a, b, c));
    EXPECT_TRUE(segment_enters_corner(a, b, {2, 0, 0}, {3, 0, 0}));
    EXPECT_FALSE(segment_enters_corner(a, -b, {2, 0, 0}, {3, 0, 0}));
}

}  // namespace
}  // namespace taffeta::contact

#include <gtest/gtest.h>

#include <limits>

#include "sheet.h"
#include "taffeta/energy/lane_angle.h"
#include "taffeta/energy/scatter.h"

namespace taffeta::energy::test {
namespace {

TEST(Lanes, AngleIsThatOfTheLibrary) {
    std::mt19937_64 generator(3);
    const auto random = [&] { return double(generator() >> 11) * 0x1p-52 - 1; };
    const double epsilon = std::numeric_limits<double>::epsilon();
    for (int i = 0; i < 100000; ++i) {
        Pack sine, cosine;
        for (int lane = 0; lane < 4; ++lane) {
            // Every magnitude of their ratio, and every quadrant.
            sine[lane] = random() * std::pow(10.0, 12 * random());
            cosine[lane] = random();
        }

        const Pack angle = angle_of(sine, cosine);

        for (int lane = 0; lane < 4; ++lane) {
            const double expected = std::atan2(sine[lane], cosine[lane]);
            ASSERT_NEAR(angle[lane], expected, 1.5 * epsilon * std::abs(expected));
        }
    }
}

TEST(Lanes, AngleOfAxesDiagonalsAndNothing) {
    const double pi = std::numbers::pi;
    const Pack axes = angle_of(Pack{0, 1, 0, -1}, Pack{1, 0, -1, 0});
    const Pack diagonals = angle_of(Pack{2, 2, -2, -2}, Pack{2, -2, -2, 2});
    const Pack nothing = angle_of(Pack{0, 0, 1e-300, 5e-324}, Pack{0, 0, 0, 0});

    for (int lane = 0; lane < 4; ++lane) {
        EXPECT_DOUBLE_EQ(axes[lane], (Pack{0, pi / 2, pi, -pi / 2}[lane]));
        EXPECT_DOUBLE_EQ(diagonals[lane], (Pack{pi / 4, 3 * pi / 4, -3 * pi / 4, -pi / 4}[lane]));
        EXPECT_DOUBLE_EQ(nothing[lane], (Pack{0, 0, pi / 2, pi / 2}[lane]));
    }
}

TEST(Lanes, AngleOfNotANumberIsNotANumber) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Pack angle = angle_of(Pack{nan, nan, nan, 1}, Pack{1, -1, nan, 1});

    for (int lane = 0; lane < 3; ++lane)
        EXPECT_TRUE(std::isnan(angle[lane]));
    EXPECT_DOUBLE_EQ(angle[3], std::numbers::pi / 4);
}

TEST(Lanes, GuardedReciprocalOfNothingIsNothing) {
    const Pack r = guarded_reciprocal(Pack{2, 0, -1, 1e-9}, broadcast<Pack>(1e-8));

    EXPECT_EQ(r[0], 0.5);
    for (int lane = 1; lane < 4; ++lane)
        EXPECT_EQ(r[lane], 0);
}

TEST(Lanes, TransposeTurnsComponentsIntoElements) {
    Pack rows[4] = {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}, {30, 31, 32, 33}};

    transpose(rows[0], rows[1], rows[2], rows[3]);

    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            EXPECT_EQ(rows[i][j], 10 * j + i);
}

TEST(Lanes, OuterProductFillsABlockByColumns) {
    const double a[3] = {1, 2, 3}, b[3] = {5, 7, 11};
    double block[9] = {100, 0, 0, 0, 0, 0, 0, 0, 1000};

    add_outer(block, OuterLeft(2, a), OuterRight(b));

    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
            const double initial = c + r == 0 ? 100 : (c + r == 4 ? 1000 : 0);
            EXPECT_EQ(block[3 * c + r], initial + 2 * a[r] * b[c]);
        }
}

}  // namespace
}  // namespace taffeta::energy::test

#include <gtest/gtest.h>

#include <set>

#include "render/sampler.h"

namespace taffeta::render {
namespace {

/// The first 2^k points of a (0, 2)-sequence: one in every elementary interval of area 2^-k.
TEST(PixelSampler, FirstSixteenSamplesAreANetInEveryPairOfDimensions) {
    for (int pixel = 0; pixel < 20; ++pixel)
        for (int pair = 0; pair < 4; ++pair) {
            std::set<int> columns, rows, cells;

            for (int s = 0; s < 16; ++s) {
                PixelSampler sampler(pixel, 3 * pixel);
                sampler.start(s);
                Vec2 point;
                for (int skipped = 0; skipped <= pair; ++skipped)
                    point = sampler.next();
                columns.insert(int(16 * point.x()));
                rows.insert(int(16 * point.y()));
                cells.insert(int(4 * point.x()) + 4 * int(4 * point.y()));
            }

            EXPECT_EQ(columns.size(), 16u);
            EXPECT_EQ(rows.size(), 16u);
            EXPECT_EQ(cells.size(), 16u);
        }
}

TEST(PixelSampler, PointsStayInTheUnitSquareAndDifferBetweenPixels) {
    PixelSampler one(5, 7), other(6, 7);
    int equal = 0;

    for (int s = 0; s < 256; ++s) {
        one.start(s);
        other.start(s);
        const Vec2 a = one.next(), b = other.next();
        EXPECT_TRUE(a.x() >= 0 && a.x() < 1 && a.y() >= 0 && a.y() < 1);
        equal += a == b;
    }

    EXPECT_EQ(equal, 0);
}

TEST(PixelSampler, PairsOfDimensionsAreIndependent) {
    // Mean of the product of centred coordinates: 0 for independent ones, 1/12 for equal ones.
    double sum = 0;
    constexpr int count = 4096;
    PixelSampler sampler(1, 2);

    for (int s = 0; s < count; ++s) {
        sampler.start(s);
        const double first = sampler.next().x(), second = sampler.next().x();
        sum += (first - 0.5) * (second - 0.5);
    }

    // The standard error of independent random numbers would be 1/12/64.
    EXPECT_NEAR(sum / count, 0, 4.0 / 12 / 64);
}

}  // namespace
}  // namespace taffeta::render

#include "taffeta/contact/wide_integer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <utility>

namespace taffeta::contact {
namespace {

__extension__ using Narrow = __int128;

WideInteger wide(Narrow value) {
    const bool negative = value < 0;
    const Narrow size = negative ? -value : value;
    const WideInteger high(std::int64_t(size >> 62));
    const WideInteger low(std::int64_t(size & ((Narrow(1) << 62) - 1)));
    const WideInteger all = high.shifted(62) + low;
    return negative ? -all : all;
}

bool equal(const WideInteger& a, const WideInteger& b) {
    return compare(a, b) == 0 && (a - b).sign() == 0;
}

/// Of every length up to 60 bits, with runs of ones and zeros, where carries go far.
std::int64_t draw(std::mt19937_64& random) {
    const int bits = int(random() % 61);
    const std::uint64_t mask = (std::uint64_t(1) << bits) - 1;
    const std::uint64_t value = random() % 3 == 0 ? mask : random() & mask;
    return random() % 2 ? std::int64_t(value) : -std::int64_t(value);
}

TEST(WideInteger, AgreesWithIntegersOf128Bits) {
    std::mt19937_64 random(1);
    for (int k = 0; k < 20000; ++k) {
        const std::int64_t a = draw(random), b = draw(random), c = draw(random);
        const WideInteger x(a), y(b), z(c);

        ASSERT_TRUE(equal(x + y, wide(Narrow(a) + b))) << a << " " << b;
        ASSERT_TRUE(equal(x - y, wide(Narrow(a) - b))) << a << " " << b;
        ASSERT_TRUE(equal(x * y, wide(Narrow(a) * b))) << a << " " << b;
        ASSERT_TRUE(equal(x * y - z, wide(Narrow(a) * b - c))) << a << " " << b << " " << c;
        ASSERT_EQ(compare(x, y), a < b ? -1 : int(a > b));
        ASSERT_EQ(compare(x * y, y * z),
                  Narrow(a) * b < Narrow(b) * c ? -1 : int(Narrow(a) * b > Narrow(b) * c));
        ASSERT_EQ((x * y).sign(), a == 0 || b == 0 ? 0 : ((a < 0) == (b < 0) ? 1 : -1));
    }
}

TEST(WideInteger, TheLeastIntegerHasAMagnitude) {
    const WideInteger least(std::numeric_limits<std::int64_t>::min());

    EXPECT_EQ(least.sign(), -1);
    EXPECT_TRUE(equal(least.magnitude(), WideInteger(1, 63)));
    EXPECT_EQ((-WideInteger(0)).sign(), 0);
}

/// (a + b)(a - b) = a^2 - b^2 for numbers of up to 200 words, inline and beyond.
TEST(WideInteger, KeepsIdentitiesAtAnyLength) {
    std::mt19937_64 random(2);
    for (const int words : {1, 5, 11, 13, 23, 25, 60, 200}) {
        const auto number = [&] {
            WideInteger value(draw(random));
            for (int k = 0; k < words; ++k)
                value = value.shifted(unsigned(random() % 65)) + WideInteger(draw(random));
            return value;
        };
        for (int k = 0; k < 50; ++k) {
            const WideInteger a = number(), b = number(), c = number();

            ASSERT_TRUE(equal((a + b) * (a - b), a * a - b * b));
            ASSERT_TRUE(equal(a * (b + c), a * b + a * c));
            ASSERT_TRUE(equal((a + b) - b, a));
            ASSERT_TRUE(equal(a.shifted(67), a * WideInteger(1, 67)));
        }
    }
}

/// A value survives copies and moves between numbers of different storage.
TEST(WideInteger, CopiesAndMovesKeepTheValue) {
    const WideInteger small(7), large(7, 5000);
    WideInteger a = small, b = large;

    a = b;
    EXPECT_TRUE(equal(a, large));
    a = small;
    EXPECT_TRUE(equal(a, small));
    b = std::move(a);
    EXPECT_TRUE(equal(b, small));
    WideInteger c = large;
    c = std::move(b);
    EXPECT_TRUE(equal(c, small));
    std::swap(c, b = large);
    EXPECT_TRUE(equal(c, large));
    EXPECT_TRUE(equal(b, small));
    const WideInteger& same = c;
    c = same;
    EXPECT_TRUE(equal(c, large));
}

}  // namespace
}  // namespace taffeta::contact

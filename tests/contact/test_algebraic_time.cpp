#include "taffeta/contact/algebraic_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace taffeta::contact {
namespace {

/// p(t) = sum_i a_i t^i with small integers, as a form: t = x / (x + y).
BinaryForm form(const std::vector<std::int64_t>& a) {
    BinaryForm t, one, whole;
    t.degree = one.degree = 1;
    t.c[1] = WideInteger(1);
    one.c[0] = one.c[1] = WideInteger(1);
    const int degree = int(a.size()) - 1;
    whole.degree = degree;
    for (int i = 0; i <= degree; ++i) {
        BinaryForm term;
        term.c[0] = WideInteger(a[std::size_t(i)]);
        for (int k = 0; k < degree; ++k)
            term = term * (k < i ? t : one);
        whole = whole + term;
    }
    return whole;
}

double time_of(const AlgebraicTime& root) {
    return std::ldexp(double(root.grid_floor()), -32);
}

TEST(AlgebraicTime, FindsTheRootsInsideOnly) {
    // (8 t - 1)(2 t - 1)(t - 3): 1/8, 1/2 and one outside
    const RootList roots = roots_inside(form({-3, 31, -58, 16}));
    ASSERT_EQ(roots.count, 2);
    EXPECT_EQ(time_of(roots.root[0]), 0.125);
    EXPECT_EQ(time_of(roots.root[1]), 0.5);

    EXPECT_EQ(roots_inside(form({1, 0, 1})).count, 0);   // no real root
    EXPECT_EQ(roots_inside(form({0, 1, -1})).count, 0);  // t = 0 and t = 1 are not inside
    EXPECT_EQ(roots_inside(form({5})).count, 0);
}

TEST(AlgebraicTime, MultipleRootsCountOnce) {
    const RootList squared = roots_inside(form({-1, 8, -20, 16}));  // (2 t - 1)^2 (4 t - 1)
    ASSERT_EQ(squared.count, 2);
    EXPECT_EQ(time_of(squared.root[0]), 0.25);
    EXPECT_EQ(time_of(squared.root[1]), 0.5);

    const RootList cubed = roots_inside(form({-1, 6, -12, 8}));  // (2 t - 1)^3
    ASSERT_EQ(cubed.count, 1);
    EXPECT_EQ(time_of(cubed.root[0]), 0.5);

    const RootList quadratic = roots_inside(form({1, -6, 9}));  // (3 t - 1)^2
    ASSERT_EQ(quadratic.count, 1);
    EXPECT_EQ(quadratic.root[0].sign_at(form({-1, 3})), 0);
}

/// sqrt(1/2) against polynomials that share it, and against its neighbours.
TEST(AlgebraicTime, DecidesSignsAtAnIrrationalRoot) {
    const RootList roots = roots_inside(form({-1, 0, 2}));
    ASSERT_EQ(roots.count, 1);
    const AlgebraicTime& root = roots.root[0];

    EXPECT_EQ(root.sign_at(form({-1, 0, 2})), 0);
    EXPECT_EQ(root.sign_at(form({2, 0, -4})), 0);
    // 5741/8119 and 13860/19601 are the convergents around it: closer than 1e-8
    EXPECT_EQ(root.sign_at(form({-5741, 8119})), -1);
    EXPECT_EQ(root.sign_at(form({-13860, 19601})), 1);
    EXPECT_EQ(root.sign_at(form({-1, 1, 1})), 1);    // t^2 + t - 1 = sqrt(1/2) - 1/2
    EXPECT_EQ(root.sign_at(form({3, -8, 5})), -1);   // 5.5 - 8 sqrt(1/2)
    EXPECT_EQ(root.sign_at(form({5, -14, 10})), 1);  // 10 - 14 sqrt(1/2) = 0.1005
}

/// Roots of one cubic share a factor with the quadratic, or are nearly its roots.
TEST(AlgebraicTime, AgreesWithSignsByRealNumbers) {
    std::mt19937 random(6);
    const auto coefficient = [&] { return std::int64_t(random() % 41) - 20; };
    int compared = 0, zeros = 0;
    for (int k = 0; k < 8000; ++k) {
        std::vector<std::int64_t> cubic(4), quadratic(3);
        for (auto& c : quadratic)
            c = coefficient();
        for (auto& c : cubic)
            c = coefficient();
        const bool shared = k % 3 == 0;
        if (shared) {  // cubic = quadratic (t + s)
            const std::int64_t s = coefficient();
            cubic = {s * quadratic[0], quadratic[0] + s * quadratic[1],
                     quadratic[1] + s * quadratic[2], quadratic[2]};
        }
        const BinaryForm p = form(cubic);
        if (p.is_zero()) continue;
        const RootList roots = roots_inside(p);
        for (int r = 0; r < roots.count; ++r) {
            const AlgebraicTime& root = roots.root[std::size_t(r)];
            const double t = time_of(root) + 0x1p-33;  // within 2^-33
            const double value =
                double(quadratic[0]) + t * double(quadratic[1]) + t * t * double(quadratic[2]);
            const int sign = root.sign_at(form(quadratic));
            if (std::abs(value) > 1e-7) {
                ASSERT_EQ(sign, value > 0 ? 1 : -1);
                ++compared;
            } else {
                zeros += sign == 0;
            }
            const double p_at =
                double(cubic[0]) +
                t * (double(cubic[1]) + t * (double(cubic[2]) + t * double(cubic[3])));
            ASSERT_NEAR(p_at, 0, 1e-6);
        }
    }
    EXPECT_GT(compared, 1000);
    EXPECT_GT(zeros, 200);
}

TEST(AlgebraicTime, TheGridIsRoundedDown) {
    const RootList third = roots_inside(form({-1, 3}));
    ASSERT_EQ(third.count, 1);
    EXPECT_EQ(third.root[0].grid_floor(), (std::int64_t(1) << 32) / 3);

    // sqrt(1/2) 2^32 = 3037000499.97...
    EXPECT_EQ(roots_inside(form({-1, 0, 2})).root[0].grid_floor(), 3037000499);
}

}  // namespace
}  // namespace taffeta::contact

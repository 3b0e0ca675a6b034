#include "taffeta/contact/ccd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "helpers/ccd_cases.h"
#include "taffeta/base/error.h"
#include "taffeta/contact/ccd_exact.h"
#include "taffeta/contact/ccd_filter.h"

namespace taffeta::contact {
namespace {

using test::CcdCase;
using test::CcdCases;
using Points = std::array<Vec3, 4>;

CcdQuery vertex_face(const Points& start, const Points& end) {
    return {CcdKind::vertex_face, start, end};
}
CcdQuery edge_edge(const Points& start, const Points& end) {
    return {CcdKind::edge_edge, start, end};
}

const Vec3 corner_a(0, 0, 0), corner_b(1, 0, 0), corner_c(0, 1, 0);

/// A vertex that moves from p to q; the face (a, b, c) is still.
CcdQuery drop(const Vec3& p, const Vec3& q) {
    return vertex_face({p, corner_a, corner_b, corner_c}, {q, corner_a, corner_b, corner_c});
}

TEST(Ccd, AVertexThatPassesThroughAFaceTouches) {
    EXPECT_TRUE(touches(drop({0.25, 0.25, 1}, {0.25, 0.25, -1})));
    EXPECT_TRUE(touches(drop({0.25, 0.25, 1}, {0.25, 0.25, 0})));
    EXPECT_FALSE(touches(drop({0.25, 0.25, 1}, {0.25, 0.25, 1e-300})));
    EXPECT_FALSE(touches(drop({0.75, 0.75, 1}, {0.75, 0.75, -1})));
}

/// The rim of the face belongs to it; one unit in the last place outside does not.
TEST(Ccd, TheRimOfAFaceBelongsToIt) {
    const double out = std::nextafter(0.5, 1);

    EXPECT_TRUE(touches(drop({0.5, 0.5, 1}, {0.5, 0.5, -1})));
    EXPECT_FALSE(touches(drop({out, 0.5, 1}, {out, 0.5, -1})));
    EXPECT_TRUE(touches(drop({0, 0, 1}, {0, 0, -1})));
    EXPECT_FALSE(touches(drop({-5e-324, 0, 1}, {-5e-324, 0, -1})));
    EXPECT_TRUE(touches(drop({5e-324, 0, 1}, {5e-324, 0, -1})));
}

/// Two contacts have an even number of roots: parity would see none of them.
TEST(Ccd, SeesContactsThatComeInPairs) {
    // The face swings through the vertex and back in the vertex's view: z = 8 (t - 1/4)(t - 3/4) needs
    // a moving slope, as for a vertex that runs along a turning face.
    const Points start{Vec3(0, 0.25, 0.375), Vec3(-4, -4, 0), Vec3(4, -4, 0), Vec3(0, 8, 0)};
    Points end = start;
    end[0] = Vec3(1, 0.25, 0.375);
    end[1] = Vec3(-4, -4, -4), end[2] = Vec3(4, -4, 4);  // z = t x at time t
    // vertex: x = t, z = 0.375 over a plane z = t x = t^2: touches at t^2 = 0.375
    EXPECT_TRUE(touches(vertex_face(start, end)));

    Points both = start, both_end = end;
    both[0] = Vec3(0, 0.25, -0.1875);
    both_end[0] = Vec3(1, 0.25, 0.8125);  // z = t - 3/16 meets t^2 at t = 1/4 and 3/4
    EXPECT_TRUE(touches(vertex_face(both, both_end)));
    EXPECT_EQ(first_contact(vertex_face(both, both_end)), 0.25);

    both[0] = Vec3(0, 0.25, -0.25);
    both_end[0] = Vec3(1, 0.25, 0.75);  // z = t - 1/4 touches t^2 at t = 1/2 and does not cross
    EXPECT_TRUE(touches(vertex_face(both, both_end)));
    EXPECT_EQ(first_contact(vertex_face(both, both_end)), 0.5);

    both[0].z() = std::nextafter(-0.25, -1);  // and now it misses by 2^-54
    EXPECT_FALSE(touches(vertex_face(both, both_end)));
    EXPECT_EQ(first_contact(vertex_face(both, both_end)), std::nullopt);
}

/// Everything in one plane all the time: the cubic is identically zero.
TEST(Ccd, SeesContactsInAPlane) {
    const auto slide = [](double from, double to, double y) {
        return drop({from, y, 0}, {to, y, 0});
    };

    EXPECT_TRUE(touches(slide(-1, 2, 0.5)));
    EXPECT_TRUE(touches(slide(-1, 0, 0.5)));
    EXPECT_FALSE(touches(slide(-1, -5e-324, 0.5)));
    EXPECT_FALSE(touches(slide(-1, 2, -0.5)));
    EXPECT_TRUE(touches(slide(-1, 2, 0)));
    EXPECT_TRUE(touches(slide(-1, 2, 1)));  // through a corner
    EXPECT_FALSE(touches(slide(-1, 2, std::nextafter(1.0, 2))));
    EXPECT_EQ(first_contact(slide(-1, 2, 0.5)),
              std::floor(std::ldexp(1, 32) / 3) / std::ldexp(1, 32));
    EXPECT_EQ(first_contact(slide(0.25, 2, 0.5)), 0.0);
}

///   +---+   one edge shrinks to nothing, the other passes
TEST(Ccd, EdgesMayBePoints) {
    const Vec3 p(0.5, 0, 0), low(0, 0, -1), high(1, 0, -1), up(0, 0, 2);

    EXPECT_TRUE(touches(edge_edge({p, p, low, high}, {p, p, low + up, high + up})));
    EXPECT_FALSE(touches(edge_edge({p, p, low, low}, {p, p, low + up, low + up})));
    EXPECT_TRUE(touches(edge_edge({p, p, low, low}, {p, p, Vec3(1, 0, 1), Vec3(1, 0, 1)})));
    EXPECT_TRUE(touches(edge_edge({p, p, p, p}, {p, p, p, p})));
}

TEST(Ccd, ParallelEdgesTouchWhereTheyOverlap) {
    const auto shifted = [](double from, double to) {
        return edge_edge({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(from, 0, 1), Vec3(to, 0, 1)},
                         {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(from, 0, -1), Vec3(to, 0, -1)});
    };

    EXPECT_TRUE(touches(shifted(0.5, 2)));
    EXPECT_TRUE(touches(shifted(1, 2)));
    EXPECT_FALSE(touches(shifted(std::nextafter(1.0, 2), 2)));
    EXPECT_TRUE(touches(shifted(-1, 2)));
}

/// What is moved by one rigid, exact motion does not touch more than at rest.
TEST(Ccd, ASharedMotionChangesNothing) {
    const Points rest{Vec3(0.25, 0.25, std::ldexp(1, -40)), corner_a, corner_b, corner_c};
    Points moved = rest;
    for (Vec3& p : moved)
        p += Vec3(3, -5, 100);

    EXPECT_FALSE(touches(vertex_face(rest, moved)));
}

TEST(Ccd, CoordinatesOfAnySizeAreExact) {
    for (const double size : {5e-324, 1e-310, 1e-160, 1e-100, 1.0, 1e100, 1e160, 8e306}) {
        const double unit = std::ldexp(1.0, std::ilogb(size));
        const auto at = [&](double x, double y, double z) {
            return Vec3(x * unit, y * unit, z * unit);
        };
        const Points start{at(2, 2, 4), at(0, 0, 0), at(8, 0, 0), at(0, 8, 0)};
        Points end = start;
        end[0] = at(2, 2, 0);
        EXPECT_TRUE(touches(vertex_face(start, end))) << size;
        EXPECT_EQ(first_contact(vertex_face(start, end)), 1.0) << size;
        end[0] = at(2, 2, 1);
        EXPECT_FALSE(touches(vertex_face(start, end))) << size;
    }
    // A product of tiny, tiny and huge differences: some underflow on the way.
    const Points start{Vec3(2e-200, 2e-200, 1e200), Vec3(0, 0, 0), Vec3(8e-200, 0, 0),
                       Vec3(0, 8e-200, 0)};
    Points end = start;
    end[0].z() = -1e200;
    EXPECT_TRUE(touches(vertex_face(start, end)));
    end[0].z() = 1e-200;
    EXPECT_FALSE(touches(vertex_face(start, end)));
}

TEST(Ccd, RefusesWhatIsNotANumber) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();

    EXPECT_THROW(touches(drop({0.25, 0.25, 1}, {0.25, nan, -1})), Error);
    EXPECT_THROW(touches(drop({0.25, 0.25, 1}, {0.25, 0.25, -infinity})), Error);
    EXPECT_THROW(first_contact(drop({0.25, nan, 1}, {0.25, 0.25, -1})), Error);
    EXPECT_THROW(first_within(drop({0.25, nan, 1}, {0.25, 0.25, -1}), {}), Error);
    EXPECT_THROW(first_within(drop({0.25, 0.25, 1}, {0.25, infinity, -1}), {}), Error);
    const CcdQuery fine = drop({0.25, 0.25, 1}, {0.25, 0.25, -1});
    EXPECT_THROW(first_within(fine, {.distance = -1}), Error);
    EXPECT_THROW(first_within(fine, {.distance = nan}), Error);
    EXPECT_THROW(first_within(fine, {.distance = 0, .tolerance = 0}), Error);
}

/// Ten thousand answers known by construction, each in four other words.
TEST(Ccd, IsRightOnTouchesAndNearMissesInEveryForm) {
    CcdCases cases(20260131);
    std::mt19937 random(1);
    int wrong = 0, decided_exactly = 0;
    for (int k = 0; k < 10000; ++k) {
        const CcdCase one = cases.next();
        decided_exactly += filter_touches(one.query) == FilterAnswer::unsure;
        bool same = touches(one.query) == one.touch && touches_exactly(one.query) == one.touch;
        for (const int power : {-300, -30, 30, 300}) {
            const CcdQuery other = test::disguised(one.query, {power, unsigned(random())});
            same = same && touches(other) == one.touch;
        }
        wrong += !same;
    }

    EXPECT_EQ(wrong, 0);
    EXPECT_GT(decided_exactly, 1000);  // the cases are hard enough to need it
}

/// The filter's time and the exact one are the same; no order of the corners changes it.
TEST(Ccd, TheFirstContactIsTheSameForEveryOrder) {
    CcdCases cases(77);
    std::mt19937 random(2);
    for (int k = 0; k < 3000; ++k) {
        const CcdCase one = cases.next();
        const std::optional<double> time = first_contact(one.query);
        const std::optional<std::int64_t> exact = first_contact_exactly(one.query);

        ASSERT_EQ(time.has_value(), one.touch) << k;
        ASSERT_EQ(exact.has_value(), one.touch) << k;
        if (!time) continue;
        ASSERT_EQ(*time, std::ldexp(double(*exact), -32)) << k;
        const unsigned forward = 2 * unsigned(random() / 2);  // not backwards in time
        ASSERT_EQ(first_contact(test::disguised(one.query, {20, forward})), time) << k;
    }
}

/// At the time before the first contact nothing has touched; 2^-32 later something has. Cutting the
/// motion there is exact for these coordinates.
TEST(Ccd, TheFirstContactIsConservative) {
    CcdCases cases(5);
    int checked = 0;
    for (int k = 0; k < 3000; ++k) {
        const CcdCase one = cases.next();
        const std::optional<double> time = first_contact(one.query);
        if (!time || *time == 0 || *time == 1) continue;
        // an eighth before: representable, since coordinates are multiples of 128 in the frame
        const double before =
            std::floor(8 * *time) / 8 - (std::fmod(8 * *time, 1) == 0 ? 0.125 : 0);
        CcdQuery cut = one.query;
        for (std::size_t i = 0; i < 4; ++i)
            cut.end[i] = (1 - before) * one.query.start[i] + before * one.query.end[i];

        ASSERT_FALSE(touches(cut)) << k << " " << *time;
        ++checked;
    }
    EXPECT_GT(checked, 500);
}

TEST(Ccd, TheSeparationIsKeptUntilTheTimeGiven) {
    // The vertex falls with speed 2 from height 1 onto the face.
    const CcdQuery query = drop({0.25, 0.25, 1}, {0.25, 0.25, -1});

    const std::optional<double> time = first_within(query, {.distance = 0.5, .tolerance = 1e-6});

    ASSERT_TRUE(time.has_value());
    EXPECT_LE(*time, 0.25);
    EXPECT_GE(*time, 0.25 - 1e-6);
    EXPECT_FALSE(first_within(drop({0.25, 0.25, 1}, {0.25, 0.25, 0.5001}), {.distance = 0.5}));
    EXPECT_TRUE(first_within(drop({0.25, 0.25, 1}, {0.25, 0.25, 0.5}), {.distance = 0.5}));
}

/// Past an edge and past a corner the distance is to them; a moving pair is seen relatively.
TEST(Ccd, TheSeparationIsFromTheNearestFeature) {
    const Vec3 offset(10, -20, 30);
    const auto passes = [&](const Vec3& p, double distance) {
        const Vec3 up(0, 0, 1);
        return !first_within(
            vertex_face({p + up, corner_a, corner_b, corner_c},
                        {p - up + offset, corner_a + offset, corner_b + offset, corner_c + offset}),
            {.distance = distance, .tolerance = 1e-7});
    };

    EXPECT_TRUE(passes({0.5, -0.3, 0}, 0.2999));
    EXPECT_FALSE(passes({0.5, -0.3, 0}, 0.3001));
    EXPECT_TRUE(passes({-0.3, -0.4, 0}, 0.4999));
    EXPECT_FALSE(passes({-0.3, -0.4, 0}, 0.5001));
    const auto edges = [&](double gap, double distance) {
        return !first_within(
            edge_edge({Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -3, gap), Vec3(0, -1, gap)},
                      {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, gap), Vec3(0, 3, gap)}),
            {.distance = distance, .tolerance = 1e-7});
    };
    EXPECT_TRUE(edges(0.2, 0.1999));
    EXPECT_FALSE(edges(0.2, 0.2001));
}

/// A conservative answer: whatever touches is within every distance, and not later.
TEST(Ccd, WhatTouchesIsNotSeparated) {
    CcdCases cases(9);
    for (int k = 0; k < 3000; ++k) {
        const CcdCase one = cases.next();
        if (!one.touch) continue;
        const std::optional<double> within = first_within(one.query, {});

        ASSERT_TRUE(within.has_value()) << k;
        ASSERT_LE(*within, *first_contact(one.query) + std::ldexp(1, -32)) << k;
    }
}

}  // namespace
}  // namespace taffeta::contact

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <random>

#include "taffeta/base/parallel.h"
#include "taffeta/contact/element_pair.h"
#include "taffeta/contact/intersections.h"
#include "taffeta/contact/response.h"

// What impulses, zones and cuts do to motions that would cross, judged by the audit, which finds
// crossings its own way.
namespace taffeta::contact {
namespace {

/// Faces over points that move in a step of one second: displacements are velocities.
struct FreeMotion {
    std::vector<Triangle> face;
    std::vector<Vec3> start, way;
    std::vector<double> mass;
    std::vector<char> pinned;
    Index obstacle_vertices = 0;  ///< the last ones, without friction
    ResponseOptions options;
    sparse::NodeFilter filter;
    ResponseReport report;
    VecX x0, x1;

    Index add(const Vec3& from, const Vec3& by, double kg = 1, bool is_pinned = false) {
        start.push_back(from);
        way.push_back(by);
        mass.push_back(kg);
        pinned.push_back(is_pinned);
        return Index(start.size()) - 1;
    }
    /// A triangle in the plane z = height, large around the origin.
    void add_face(double height, const Vec3& by, double kg = 1, bool is_pinned = false) {
        const Index a = add({-2, -1, height}, by, kg, is_pinned);
        const Index b = add({2, -1, height}, by, kg, is_pinned);
        const Index c = add({0, 2, height}, by, kg, is_pinned);
        face.push_back({a, b, c});
    }

    Surfaces surfaces() const {
        Surfaces all;
        all.add(Index(start.size()), face, false);
        return all;
    }

    void resolve() {
        const Index n = Index(start.size());
        CollisionSurface surface;
        surface.face = face;
        surface.edge = surfaces().edge;
        surface.vertices = n;
        surface.cloth_vertices = n - obstacle_vertices;
        x0.resize(3 * n);
        for (Index i = 0; i < n; ++i)
            vec3(x0, i) = start[std::size_t(i)];
        x1 = x0;
        for (Index i = 0; i < n; ++i)
            vec3(x1, i) += way[std::size_t(i)];
        const Index cloth = surface.cloth_vertices;
        const VecX masses = Eigen::Map<const VecX>(mass.data(), cloth);
        if (filter.vertices() == 0) filter = sparse::NodeFilter(cloth);
        const std::vector<double> friction(std::size_t(obstacle_vertices), 0.0);
        Response response(surface);
        report = response.resolve(x0, x1, {masses, filter, pinned, friction}, options);
    }

    Vec3 moved(Index i) const { return vec3(x1, i) - vec3(x0, i); }
    Vec3 momentum() const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < mass.size(); ++i)
            sum += mass[i] * moved(Index(i));
        return sum;
    }
    std::size_t crossings() const { return find_crossings(surfaces(), x0, x1).size(); }
};

TEST(Response, WhatDoesNotMeetKeepsItsBits) {
    FreeMotion motion;
    motion.add_face(0, Vec3(0.1, 0.2, 0.3));
    motion.add({0, 0, 1}, {0.3, 0, -0.5});

    motion.resolve();

    EXPECT_EQ(motion.report.impacts, 0);
    EXPECT_EQ(motion.moved(3), Vec3(0, 0, 1) + Vec3(0.3, 0, -0.5) - Vec3(0, 0, 1));
}

TEST(Response, AnImpulseIsInelasticAndConservesMomentum) {
    FreeMotion motion;
    // On the centroid, so that the face does not turn.
    motion.add_face(0, Vec3(0, 0, 0.2), 0.7);
    motion.add({0, 0, 1}, {0, 0, -2}, 1.3);
    motion.options.friction = 0.3;
    Vec3 before = Vec3::Zero();
    for (std::size_t i = 0; i < 4; ++i)
        before += motion.mass[i] * motion.way[i];

    motion.resolve();

    ASSERT_TRUE(motion.report.ok());
    EXPECT_EQ(motion.report.impulse_rounds, 1);
    EXPECT_LT((motion.momentum() - before).norm(), 1e-12 * before.norm());
    // They end a gap apart: nothing bounces.
    const double end = vec3(motion.x1, 3).z() - vec3(motion.x1, 0).z();
    EXPECT_NEAR(end, motion.options.gap, 1e-15);
    EXPECT_EQ(motion.crossings(), 0U);
}

/// sum_j x_j(t) x m_j d_j, t the time of the contact: there sum_j w_j x_j = 0.
TEST(Response, AnImpulseConservesAngularMomentumAboutTheContact) {
    FreeMotion motion;
    // A short way, on which the face turns by less than the gap.
    motion.add_face(0, Vec3::Zero(), 0.7);
    motion.add({0.1, 0.2, 1e-3}, {2e-4, 1e-4, -2e-3}, 1.3);
    motion.options.friction = 0.3;
    const double time = 0.5;  // 1e-3 - t 2e-3 = 0
    const auto angular = [&](const std::vector<Vec3>& way) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < way.size(); ++i)
            sum += (motion.start[i] + time * motion.way[i]).cross(motion.mass[i] * way[i]);
        return sum;
    };
    const Vec3 before = angular(motion.way);

    motion.resolve();

    ASSERT_EQ(motion.report.impulse_rounds, 1);
    std::vector<Vec3> after;
    for (Index i = 0; i < 4; ++i)
        after.push_back(motion.moved(i));
    EXPECT_LT((angular(after) - before).norm(), 1e-12 * before.norm());
}

TEST(Response, WithoutFrictionWhatSlidesGoesOnSliding) {
    for (const int rounds : {8, 0}) {  // by impulses, by zones
        FreeMotion motion;
        motion.add_face(0, Vec3::Zero(), 1, true);
        motion.add({-0.3, 0, 0.5}, {0.6, 0, -1});
        motion.options.friction = 0;
        motion.options.impulse_rounds = rounds;

        motion.resolve();

        ASSERT_TRUE(motion.report.ok());
        EXPECT_EQ(motion.report.zone_impacts > 0, rounds == 0);
        EXPECT_NEAR(motion.moved(3).x(), 0.6, 1e-12);
        EXPECT_EQ(motion.report.cut_vertices, 0);
        EXPECT_EQ(motion.crossings(), 0U);
    }
}

TEST(Response, FrictionTakesCoulombsPart) {
    FreeMotion motion;
    motion.add_face(0, Vec3::Zero(), 1, true);
    motion.add({-0.3, 0, 0.5}, {0.6, 0, -1});
    motion.options.friction = 0.2;

    motion.resolve();

    // The normal change is from -1 to -(0.5 - gap): friction takes 0.2 of it.
    const double normal_change = motion.moved(3).z() + 1;
    EXPECT_NEAR(motion.moved(3).x(), 0.6 - 0.2 * normal_change, 1e-12);
}

TEST(Response, StrongFrictionStopsAndDoesNotTurnBack) {
    FreeMotion motion;
    motion.add_face(0, Vec3::Zero(), 1, true);
    motion.add({-0.3, 0, 0.5}, {0.06, 0, -1});
    motion.options.friction = 5;

    motion.resolve();

    EXPECT_NEAR(motion.moved(3).x(), 0, 1e-12);
}

TEST(Response, AZoneDoesNotGlueWhatSeparates) {
    // Two vertices under the same moving face: the face hits the first; the second falls away faster.
    FreeMotion motion;
    motion.add_face(1, Vec3(0, 0, -0.9), 100, true);
    motion.add({0.2, 0, 0.5}, Vec3::Zero());
    motion.add({-0.2, 0, 0.5}, {0, 0, -2});
    motion.options.impulse_rounds = 0;

    motion.resolve();

    ASSERT_TRUE(motion.report.ok());
    EXPECT_LT(motion.moved(3).z(), -0.39);
    EXPECT_EQ(motion.moved(4).z(), -2);
}

TEST(Response, WhatIsHeldByAnObstacleIsNotPushedIntoIt) {
    // The lower vertex may not move along z: the upper face must give way alone.
    FreeMotion motion;
    motion.add_face(1, Vec3(0, 0, -2));
    const Index held = motion.add({0.2, 0, 0.5}, Vec3::Zero());
    motion.filter = sparse::NodeFilter(4);
    motion.filter.forbid(held, Vec3::UnitZ());

    motion.resolve();

    ASSERT_TRUE(motion.report.ok());
    EXPECT_EQ(motion.moved(held).z(), 0);
    EXPECT_EQ(motion.crossings(), 0U);
}

TEST(Response, AVertexBetweenTwoFacesThatCloseOnItIsNamed) {
    FreeMotion motion;
    motion.add_face(1, Vec3(0, 0, -1), 1, true);
    motion.add_face(-1, Vec3(0, 0, 1.5), 1, true);
    motion.add({0, 0, 0}, Vec3::Zero());

    motion.resolve();

    ASSERT_FALSE(motion.report.ok());
    EXPECT_NE(motion.report.failure.find("infeasible"), std::string::npos) << motion.report.failure;
}

/// Two obstacle faces that form a wedge of 6 degrees, z = 0 and z = slope y, of which the upper one comes down.
constexpr double wedge_slope = 0.105104;

void add_closing_wedge(FreeMotion& motion, double height, double down) {
    for (const double rise : {0.0, wedge_slope}) {
        const Vec3 by(0, 0, rise > 0 ? -down : 0);
        const Index a = motion.add({-9, -9, height - 9 * rise}, by);
        const Index b = motion.add({9, -9, height - 9 * rise}, by);
        const Index c = motion.add({9, 9, height + 9 * rise}, by);
        const Index d = motion.add({-9, 9, height + 9 * rise}, by);
        motion.face.push_back({a, b, c});
        motion.face.push_back({a, c, d});
    }
    motion.obstacle_vertices += 8;
}

/// Room is left between the closing faces only far away, where the wedge is wide.
TEST(Response, WhatAWedgeClosesOnIsNotFlungOutOfIt) {
    FreeMotion motion;
    const double way = 0.05;
    const Index vertex = motion.add({0.05, 0.1, 0.025 * wedge_slope}, Vec3::Zero());
    add_closing_wedge(motion, 0, way);
    motion.options.tolerate_pinched = true;

    motion.resolve();

    EXPECT_TRUE(motion.report.ok());
    EXPECT_GT(motion.report.pinched, 0);
    EXPECT_LE(motion.moved(vertex).norm(), 4 * (way + motion.options.gap));
}

/// One wedge closes on a vertex at rest, which is stopped soon; into another one, which closes slowly, a vertex
/// flies, and has to go a shorter and a shorter part of its way until there is room for it.
FreeMotion two_wedges() {
    FreeMotion motion;
    motion.add({0.05, 0.1, 0.025 * wedge_slope}, Vec3::Zero());
    motion.add({0, 0.04, 30 + 0.02 * wedge_slope}, Vec3(0, -0.05, 0));
    add_closing_wedge(motion, 0, 0.05);
    add_closing_wedge(motion, 30, 0.017 * wedge_slope);
    return motion;
}

TEST(Response, WhatIsPinchedIsNotForgottenWhileOthersStillStop) {
    FreeMotion motion = two_wedges();

    motion.resolve();

    ASSERT_FALSE(motion.report.ok());
    EXPECT_NE(motion.report.failure.find("at vertex 0 "), std::string::npos)
        << motion.report.failure;
}

TEST(Response, AndIsCountedWhereItMayCross) {
    FreeMotion motion = two_wedges();
    motion.options.tolerate_pinched = true;

    motion.resolve();

    EXPECT_TRUE(motion.report.ok());
    EXPECT_GT(motion.report.pinched, 0);
    for (const Crossing& crossing : find_crossings(motion.surfaces(), motion.x0, motion.x1))
        EXPECT_FALSE(crossing.kind == CcdKind::vertex_face && crossing.first == 1);
}

TEST(Response, PairsThatTouchAlreadyAreLeftAloneAndCounted) {
    FreeMotion motion;
    motion.add_face(0, Vec3::Zero());
    motion.add({0, 0, 0}, {0, 0, -1});

    motion.resolve();

    EXPECT_TRUE(motion.report.ok());
    EXPECT_EQ(motion.report.touching, 1);
    EXPECT_EQ(motion.moved(3), Vec3(0, 0, -1));
}

TEST(Response, SearchesAroundWhatMovesAndFindsTheSame) {
    VecX ends[2];
    for (const bool only_moved : {false, true}) {
        FreeMotion motion;
        motion.add_face(0, Vec3::Zero());
        motion.add_face(-0.2, Vec3::Zero());
        motion.add({0, 0, 0.3}, {0, 0, -1}, 5);
        motion.options.only_moved = only_moved;

        motion.resolve();

        EXPECT_TRUE(motion.report.ok());
        EXPECT_GT(motion.report.impacts, 0);
        EXPECT_TRUE(find_crossings(motion.surfaces(), motion.x0, motion.x1).empty());
        ends[only_moved] = motion.x1;
    }
    EXPECT_EQ(ends[0], ends[1]);
}

TEST(Response, AGapIsNotUsedUpStepByStep) {
    // A vertex falls on a held face again and again: what is left stays far above single precision.
    double height = 1e-3;
    for (int step = 0; step < 40; ++step) {
        FreeMotion motion;
        motion.add_face(0, Vec3::Zero(), 1, true);
        motion.add({0, 0, height}, {0, 0, -0.01});
        motion.options.impulse_rounds = motion.options.zone_rounds = 0;  // cuts alone

        motion.resolve();

        ASSERT_TRUE(motion.report.ok()) << motion.report.failure;
        height = vec3(motion.x1, 3).z();
        ASSERT_GT(height, 0.02 * motion.options.gap) << "step " << step;
    }
}

/// Whether what is left at the end can be stored in single precision.
void expect_gap_after(FreeMotion& motion, const ElementPair& pair) {
    motion.resolve();

    ASSERT_TRUE(motion.report.ok()) << motion.report.failure;
    EXPECT_EQ(motion.crossings(), 0U);
    const double left = nearness(pair.kind, corners_of(pair, motion.x1)).distance;
    EXPECT_GT(left, 0.02 * motion.options.gap) << text(pair);
}

/// Layers that an obstacle puts on one plane, here z = x + y to the bit, end a unit in the last place apart: there the
/// difference of nearest points is rounding, and says neither a side nor a direction.
///
///     start   x  .            end    x
///              .'  face            .'
///            .'                  .'
TEST(Response, LayersPutOnOnePlaneKeepAGap) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> grid(-100, 100);
    const double level = std::ldexp(1, -10);
    for (int k = 0; k < 100; ++k) {
        const double side = k % 2 == 0 ? 1 : -1, end = std::nextafter(level, side);
        const double start = level + side * 0.4 * level;  // near enough to reach `end` to the bit
        const auto on_plane = [&](FreeMotion& motion, int x, int y) {
            const double u = std::ldexp(x + grid(random), -10),
                         v = std::ldexp(y + grid(random), -10);
            return motion.add({u, v, u + v}, Vec3::Zero());
        };
        const auto to_plane = [&](FreeMotion& motion, int x) {
            const double u = std::ldexp(x + grid(random), -10);
            return motion.add({u, level - u, start}, {0, 0, end - start});
        };
        FreeMotion vertex, edges;
        vertex.face.push_back({on_plane(vertex, -1024, -1024), on_plane(vertex, 2048, -1024),
                               on_plane(vertex, -1024, 2048)});
        to_plane(vertex, 0);
        edges.face.push_back({on_plane(edges, -1024, -1024), on_plane(edges, 1024, 1024),
                              edges.add({0, 0, -9 * side}, Vec3::Zero())});
        edges.face.push_back({to_plane(edges, -1024), to_plane(edges, 1024),
                              edges.add({0, 0, 9 * side}, Vec3::Zero())});

        expect_gap_after(vertex, {CcdKind::vertex_face, {3, 0, 1, 2}});
        expect_gap_after(edges, {CcdKind::edge_edge, {3, 4, 0, 1}});
    }
}

/// The rims of two faces, one above the other: parallel, so that they have no common normal.
TEST(Response, ParallelEdgesPutOnOneLineKeepAGap) {
    FreeMotion motion;
    const double height = 1e-3, start = 1.4e-3, end = std::nextafter(height, 1);
    motion.face.push_back({motion.add({-1, 0, height}, Vec3::Zero()),
                           motion.add({1, 0, height}, Vec3::Zero()),
                           motion.add({0, 0, -3}, Vec3::Zero())});
    motion.face.push_back({motion.add({-2, 0, start}, {0, 0, end - start}),
                           motion.add({2, 0, start}, {0, 0, end - start}),
                           motion.add({0, 0, 3}, Vec3::Zero())});

    expect_gap_after(motion, {CcdKind::edge_edge, {0, 1, 3, 4}});
}

/// A vertex comes down beside a face and ends almost at its rim: along the direction in which they are apart in
/// the end they were no farther apart at the start.
TEST(Response, WhatEndsBesideARimKeepsAGap) {
    for (const double beside : {1e-8, 1e-12, 1e-16}) {
        FreeMotion motion;
        motion.face.push_back({motion.add({0, -1, 0}, Vec3::Zero()),
                               motion.add({0, 1, 0}, Vec3::Zero()),
                               motion.add({-1, 0, 0}, Vec3::Zero())});
        motion.add({beside, 0.1, 1e-3}, {0, 0, -1e-3});

        expect_gap_after(motion, {CcdKind::vertex_face, {3, 0, 1, 2}});
    }
}

/// Loose triangles that fly through each other: far more impacts than cloth ever has.
FreeMotion swarm(unsigned seed, int faces, double speed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto vector = [&](double size) {
        return Vec3(size * number(random), size * number(random), size * number(random));
    };
    FreeMotion motion;
    const int side = int(std::ceil(std::cbrt(double(faces))));
    for (int k = 0; k < faces; ++k) {
        const Vec3 centre(k % side, (k / side) % side, k / (side * side));
        const Vec3 way = vector(speed);
        Triangle corners;
        for (Index& corner : corners)
            corner = motion.add(centre + vector(0.25), way + vector(0.3 * speed),
                                1 + 0.5 * number(random), k % 11 == 0 && number(random) > 0.5);
        motion.face.push_back(corners);
    }
    for (std::size_t i = 0; i < motion.pinned.size(); ++i)
        if (motion.pinned[i]) motion.way[i].setZero();
    motion.options.gap = 1e-3;
    return motion;
}

TEST(Response, NothingCrossesInASwarm) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        FreeMotion motion = swarm(seed, 120, 1.5);

        motion.resolve();

        ASSERT_TRUE(motion.report.ok()) << motion.report.failure;
        ASSERT_GT(motion.report.impacts, 20);
        ASSERT_EQ(motion.crossings(), 0U) << seed;
    }
}

TEST(Response, SameBitsForAnyNumberOfThreads) {
    set_thread_count(1);
    FreeMotion reference = swarm(9, 200, 1.5);
    reference.resolve();
    for (const int threads : {2, 4, 8}) {
        set_thread_count(threads);
        FreeMotion motion = swarm(9, 200, 1.5);

        motion.resolve();

        EXPECT_EQ(motion.x1, reference.x1);
    }
    set_thread_count(0);
}

}  // namespace
}  // namespace taffeta::contact

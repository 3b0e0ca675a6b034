#include "taffeta/contact/intersections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "taffeta/base/parallel.h"
#include "taffeta/contact/broad_phase.h"
#include "taffeta/contact/exact_predicates.h"

namespace taffeta::contact {
namespace {

struct Built {
    Surfaces surfaces;
    VecX x;

    void add(const std::vector<Vec3>& points, const std::vector<Triangle>& faces,
             bool fixed = false) {
        surfaces.add(Index(points.size()), faces, fixed);
        const Eigen::Index before = x.size();
        x.conservativeResize(before + 3 * Eigen::Index(points.size()));
        for (std::size_t i = 0; i < points.size(); ++i)
            x.segment<3>(before + 3 * Eigen::Index(i)) = points[i];
    }
};

/// An n x n grid of squares over [0, 1]^2, mapped into space.
template <class Map>
void add_sheet(Built& built, int n, const Map& map, bool fixed = false) {
    std::vector<Vec3> points;
    std::vector<Triangle> faces;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i)
            points.push_back(map(double(i) / n, double(j) / n));
    for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i) {
            const Index v = j * (n + 1) + i;
            faces.push_back({v, v + 1, v + n + 2});
            faces.push_back({v, v + n + 2, v + n + 1});
        }
    built.add(points, faces, fixed);
}

const auto level = [](double height) {
    return [height](double u, double v) { return Vec3(u, v, height); };
};

TEST(Intersections, ASheetDoesNotIntersectItself) {
    Built built;
    add_sheet(built, 8, level(0));

    EXPECT_TRUE(find_intersections(built.surfaces, built.x).empty());
}

///      |
///   ---+---   every square along the line is crossed
TEST(Intersections, FindsTwoCrossingSheets) {
    Built built;
    add_sheet(built, 4, level(0));
    add_sheet(built, 4, [](double u, double v) { return Vec3(0.3, u, v - 0.45); });

    const std::vector<EdgeFace> found = find_intersections(built.surfaces, built.x);

    std::set<Index> faces_of_first;
    for (const EdgeFace& pair : found) {
        const Index part_of_edge =
            built.surfaces.part[std::size_t(built.surfaces.edge[std::size_t(pair.edge)][0])];
        const Index part_of_face =
            built.surfaces.part[std::size_t(built.surfaces.face[std::size_t(pair.face)][0])];
        EXPECT_NE(part_of_edge, part_of_face);
        if (part_of_face == 0) faces_of_first.insert(pair.face);
    }
    // x = 0.3 runs through 4 squares, 8 triangles of the first sheet.
    EXPECT_EQ(faces_of_first.size(), 8u);
}

/// The same pairs as every edge against every face.
TEST(Intersections, AgreesWithTestingEveryPair) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> coordinate(0, 1);
    Built built;
    for (int part = 0; part < 3; ++part) {
        std::vector<Vec3> points;
        std::vector<Triangle> faces;
        for (Index k = 0; k < 40; ++k) {
            const Vec3 base(coordinate(random), coordinate(random), 4 * coordinate(random));
            for (int i = 0; i < 3; ++i)
                points.push_back(
                    base + 0.4 * Vec3(coordinate(random), coordinate(random), coordinate(random)));
            faces.push_back({3 * k, 3 * k + 1, 3 * k + 2});
        }
        built.add(points, faces);
    }
    std::vector<EdgeFace> expected;
    for (Index e = 0; e < Index(built.surfaces.edge.size()); ++e)
        for (Index f = 0; f < Index(built.surfaces.face.size()); ++f) {
            const Edge& edge = built.surfaces.edge[std::size_t(e)];
            const Triangle& face = built.surfaces.face[std::size_t(f)];
            if (edge[0] / 3 == face[0] / 3) continue;
            if (segment_meets_triangle(vec3(built.x, edge[0]), vec3(built.x, edge[1]),
                                       vec3(built.x, face[0]), vec3(built.x, face[1]),
                                       vec3(built.x, face[2])))
                expected.push_back({e, f});
        }

    for (const int threads : {1, 2}) {
        set_thread_count(threads);
        EXPECT_EQ(find_intersections(built.surfaces, built.x), expected);
    }
    set_thread_count(0);
    EXPECT_GT(expected.size(), 20u);
}

/// Folded flat: two squares that share an edge lie on each other.
TEST(Intersections, FindsClothFoldedFlatOntoItself) {
    const std::vector<Triangle> faces = {{0, 1, 2}, {1, 0, 3}};
    Built open, folded, nearly;
    open.add({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}}, faces);
    folded.add({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.1, 0.5, 0}}, faces);
    nearly.add({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.1, 0.5, 1e-30}}, faces);

    EXPECT_TRUE(find_intersections(open.surfaces, open.x).empty());
    EXPECT_FALSE(find_intersections(folded.surfaces, folded.x).empty());
    EXPECT_TRUE(find_intersections(nearly.surfaces, nearly.x).empty());
}

/// Two parts in one plane that overlap, or touch along an edge.
TEST(Intersections, FindsOverlapInAPlane) {
    const auto shifted = [](double by) {
        Built built;
        add_sheet(built, 2, level(0));
        add_sheet(built, 2, [by](double u, double v) { return Vec3(u + by, v, 0); });
        return find_intersections(built.surfaces, built.x);
    };

    EXPECT_FALSE(shifted(0.7).empty());
    EXPECT_FALSE(shifted(1).empty());
    EXPECT_TRUE(shifted(1 + 1e-15).empty());
}

/// Triangles that share one corner and pass through each other.
TEST(Intersections, FindsNeighboursThatCross) {
    Built built;
    built.add({{0, 0, 0}, {1, -1, 0}, {1, 1, 0}, {1, 0, -1}, {1, 0, 1}}, {{0, 1, 2}, {0, 3, 4}});

    EXPECT_FALSE(find_intersections(built.surfaces, built.x).empty());
}

TEST(Intersections, FixedPartsAreTestedAgainstOthersOnly) {
    const auto upright = [](double u, double v) { return Vec3(0.3, u, v - 0.45); };
    Built obstacles;
    add_sheet(obstacles, 3, level(0), true);
    add_sheet(obstacles, 3, upright, true);
    Built cloth;
    add_sheet(cloth, 3, level(0), true);
    add_sheet(cloth, 3, upright);

    EXPECT_TRUE(find_intersections(obstacles.surfaces, obstacles.x).empty());
    EXPECT_FALSE(find_intersections(cloth.surfaces, cloth.x).empty());
}

/// Neither end shows an intersection; the motion does.
TEST(Intersections, FindsASheetThatJumpedThroughAnother) {
    Built built;
    add_sheet(built, 3, level(0));
    add_sheet(built, 3, [](double u, double v) { return Vec3(u + 0.01, v + 0.02, 0.25); });
    VecX end = built.x;
    for (Index v = 16; v < 32; ++v)
        end[3 * v + 2] = -0.75;

    EXPECT_TRUE(find_intersections(built.surfaces, built.x).empty());
    EXPECT_TRUE(find_intersections(built.surfaces, end).empty());
    const std::vector<Crossing> found = find_crossings(built.surfaces, built.x, end);

    // All meet at a quarter of the way. Nine vertices of the second fall inside the first (with
    // x, y < 1), in the interior of one face each.
    EXPECT_EQ(std::count_if(found.begin(), found.end(),
                            [](const Crossing& c) {
                                return c.kind == CcdKind::vertex_face && c.first >= 16;
                            }),
              9);
    for (const Crossing& crossing : found)
        EXPECT_EQ(crossing.time, 0.25);
    EXPECT_TRUE(
        std::is_sorted(found.begin(), found.end(), [](const Crossing& p, const Crossing& q) {
            return std::tuple(int(p.kind), p.first, p.second) <
                   std::tuple(int(q.kind), q.first, q.second);
        }));
    end.tail(3 * 16) = built.x.tail(3 * 16);
    EXPECT_TRUE(find_crossings(built.surfaces, built.x, end).empty());
}

/// Tree, filter and integers on the one side, grid, separating directions and integers on the other: a
/// crumpled sheet, moved at random by steps from tiny to large, has the same crossings by both.
TEST(Intersections, TheDetectionInsideAStepFindsTheSameCrossings) {
    std::mt19937 random(17);
    std::normal_distribution<double> normal;
    std::size_t found = 0;
    for (const double motion : {1e-9, 1e-3, 0.02, 0.1}) {
        Built built;
        add_sheet(built, 14, [&](double u, double v) {
            return Vec3(u + 0.03 * normal(random), v + 0.03 * normal(random), 0.1 * normal(random));
        });
        VecX end = built.x;
        for (double& x : end)
            x += motion * normal(random);
        const std::vector<Triangle>& faces = built.surfaces.face;
        const std::vector<Edge>& edges = built.surfaces.edge;

        const std::vector<Crossing> audit = find_crossings(built.surfaces, built.x, end);
        BroadPhase broad(faces, edges, Index(built.x.size() / 3));
        broad.order(built.x);
        broad.refit(built.x, end, 0);
        std::vector<Crossing> step;
        const auto test = [&](CcdKind kind, Index first, Index second, const auto& corners) {
            CcdQuery query{kind, {}, {}};
            for (std::size_t k = 0; k < 4; ++k) {
                query.start[k] = vec3(built.x, corners[k]);
                query.end[k] = vec3(end, corners[k]);
            }
            const std::optional<double> time = first_contact(query);
            EXPECT_EQ(time.has_value(), touches(query));
            if (time) step.push_back({kind, first, second, *time});
        };
        const CandidateRows& near_faces = broad.find_vertex_face();
        for (Index v = 0; v < Index(built.x.size() / 3); ++v)
            for (const Index f : near_faces.of(v)) {
                const Triangle& face = faces[std::size_t(f)];
                test(CcdKind::vertex_face, v, f, std::array{v, face[0], face[1], face[2]});
            }
        const CandidateRows& near_edges = broad.find_edge_edge();
        for (Index e = 0; e < Index(edges.size()); ++e)
            for (const Index o : near_edges.of(e)) {
                const Edge &a = edges[std::size_t(e)], &b = edges[std::size_t(o)];
                test(CcdKind::edge_edge, e, o, std::array{a[0], a[1], b[0], b[1]});
            }

        EXPECT_EQ(step, audit) << motion;
        found += audit.size();
    }
    EXPECT_GT(found, 500u);
}

}  // namespace
}  // namespace taffeta::contact

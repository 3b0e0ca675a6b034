#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "taffeta/contact/leading_apart.h"

// A corner of a sheet that has crossed a wide face is led out of it while nothing moves.
namespace taffeta::contact {
namespace {

constexpr Index cells = 8;
constexpr double spacing = 0.1;

/// A square sheet on its corner, `depth` of which is below the obstacle, a face at z = 0.
struct DippedCorner {
    explicit DippedCorner(double depth) {
        const double half = spacing * std::sqrt(0.5);
        for (Index j = 0; j <= cells; ++j)
            for (Index i = 0; i <= cells; ++i)
                add(Vec3(half * double(i - j), 0.01, half * double(i + j) - depth));
        for (Index j = 0; j < cells; ++j)
            for (Index i = 0; i < cells; ++i) {
                const Index a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i + 1, j + 1);
                surface.face.push_back({a, b, c});
                surface.face.push_back({a, c, vertex(i, j + 1)});
            }
        surface.cloth_vertices = count;
        const Index first = add(Vec3(-5, -4, 0));
        add(Vec3(5, -4, 0));
        add(Vec3(0, 6, 0));
        surface.face.push_back({first, first + 1, first + 2});
        surface.vertices = count;
        Surfaces all;
        all.add(count, surface.face, false);
        surface.edge = all.edge;
        mass = VecX::Constant(surface.cloth_vertices, 0.01);
        filter = sparse::NodeFilter(surface.cloth_vertices);
        pinned.assign(std::size_t(surface.cloth_vertices), 0);
        shortest_edge.assign(std::size_t(surface.cloth_vertices), spacing);
    }

    static Index vertex(Index i, Index j) { return j * (cells + 1) + i; }
    Index add(const Vec3& at) {
        x.conservativeResize(3 * (count + 1));
        vec3(x, count) = at;
        return count++;
    }
    Index lead() {
        Untangling untangling(surface);
        Response response(surface);
        return lead_apart(untangling, response, {mass, filter, pinned, friction}, shortest_edge, {},
                          x);
    }

    CollisionSurface surface;
    Index count = 0;
    VecX x, mass;
    sparse::NodeFilter filter;
    std::vector<char> pinned;
    std::vector<double> shortest_edge, friction = std::vector<double>(3, 0.3);
};

TEST(LeadingApart, ACornerComesOutAndTheRestStays) {
    DippedCorner corner(0.04);
    const VecX before = corner.x;
    ASSERT_GT(Untangling(corner.surface).find(before), 0);

    EXPECT_EQ(corner.lead(), 0);

    EXPECT_EQ(Untangling(corner.surface).find(corner.x), 0);
    EXPECT_GT(corner.x[2], 0);
    EXPECT_LT((corner.x - before).cwiseAbs().maxCoeff(), spacing);
    for (Index j = 0; j <= cells; ++j)
        for (Index i = 0; i <= cells; ++i)
            if (i + j >= 4) {
                const Index v = DippedCorner::vertex(i, j);
                EXPECT_EQ(vec3(corner.x, v), vec3(before, v));
            }
    EXPECT_EQ(corner.x.tail(9), before.tail(9));
}

TEST(LeadingApart, WhereNothingCanMoveNothingDoes) {
    DippedCorner corner(0.04);
    corner.pinned.assign(corner.pinned.size(), 1);
    const VecX before = corner.x;
    const Index pairs = Untangling(corner.surface).find(before);

    EXPECT_EQ(corner.lead(), pairs);

    EXPECT_EQ(corner.x, before);
}

TEST(LeadingApart, ASearchAmongMarkedElementsFindsWhatASearchOfAllFinds) {
    DippedCorner corner(0.25);
    Untangling untangling(corner.surface);
    const Index begin = untangling.find(corner.x);
    ASSERT_GT(begin, 8);
    bool changed = false;

    for (int k = 0; k < 3; ++k) {
        // The marked rows rise, by less than to the next row: edges to others come to cross.
        for (Index v = 0; v < corner.surface.cloth_vertices; ++v)
            if (untangling.involved()[std::size_t(v)] != 0) corner.x[3 * v + 2] += 0.02;
        Untangling afresh(corner.surface);
        const Index all = afresh.find(corner.x);

        ASSERT_EQ(untangling.find_again(corner.x), all) << k;
        EXPECT_TRUE(std::equal(afresh.involved().begin(), afresh.involved().end(),
                               untangling.involved().begin()));
        changed |= all != begin;
    }
    EXPECT_TRUE(changed);
}

}  // namespace
}  // namespace taffeta::contact

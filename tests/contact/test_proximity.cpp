#include <gtest/gtest.h>

#include "taffeta/contact/proximity.h"
#include "taffeta/mesh/topology.h"

// Which pairs of near elements get a spring.
namespace taffeta::contact {
namespace {

constexpr double thickness = 1e-3;

/// Cloth of single faces and vertices, at rest.
struct Cloth {
    mesh::TriMesh mesh;

    Index vertex(double x, double y, double z) {
        mesh.position.push_back({x, y, z});
        return mesh.vertex_count() - 1;
    }
    /// A face far from everything, one of whose corners is at the point.
    Index tip(double x, double y, double z) {
        const Index corner = vertex(x, y, z);
        const Index second = vertex(x + 0.3, y, z + 5), third = vertex(x, y + 0.3, z + 5);
        mesh.face.push_back({corner, second, third});
        return corner;
    }
    /// `approach`: velocity of the vertices from `moving` on, m/s.
    std::vector<PairSpring> springs(Index moving = 0, const Vec3& approach = Vec3::Zero()) const {
        const RepulsionOptions options;
        const double step = 1e-3;
        CollisionSurface surface;
        surface.face = mesh.face;
        surface.edge = mesh::make_topology(mesh).edge;
        surface.vertices = surface.cloth_vertices = mesh.vertex_count();
        VecX x(3 * mesh.vertex_count());
        for (Index i = 0; i < mesh.vertex_count(); ++i)
            vec3(x, i) = mesh.position[std::size_t(i)];
        VecX x1 = x;
        for (Index i = moving; i < mesh.vertex_count(); ++i)
            vec3(x1, i) += step * approach;
        const VecX mass = VecX::Constant(mesh.vertex_count(), 1e-3);
        const std::vector<double> shortest_edge(mesh.position.size(), 0.1);
        ImpactFinder finder(surface);
        Proximity proximity;
        std::vector<PairSpring> found;
        proximity.find(finder.fitted(x, x1, options.thickness), surface,
                       {x, x1, mass, step, shortest_edge}, options, found);
        return found;
    }
    /// Springs of this vertex with faces.
    std::vector<PairSpring> springs_of(Index vertex) const {
        std::vector<PairSpring> found;
        for (const PairSpring& spring : springs())
            if (spring.vertex[0] == vertex && spring.weight[0] == 1) found.push_back(spring);
        return found;
    }
};

/// Two walls that meet in the line x = z = 0, each rising by `slope` on its side (falling, if < 0).
Cloth walls(double slope) {
    Cloth cloth;
    const Index front = cloth.vertex(0, -1, 0), back = cloth.vertex(0, 1, 0);
    const Index left = cloth.vertex(-1, 0, slope), right = cloth.vertex(1, 0, slope);
    cloth.mesh.face = {{front, back, left}, {front, right, back}};
    return cloth;
}

TEST(Proximity, AVertexInAValleyIsHeldByBothWalls) {
    Cloth cloth = walls(0.5);
    const Index tip = cloth.tip(1e-5, 0.1, 6e-4);

    const std::vector<PairSpring> springs = cloth.springs_of(tip);

    ASSERT_EQ(springs.size(), 2u);
    EXPECT_NEAR(springs[0].normal.dot(springs[1].normal), (1 - 0.25) / (1 + 0.25), 1e-12);
}

TEST(Proximity, AVertexAboveAFlatSheetOrARidgeHasOneSpring) {
    for (const double slope : {0.0, -0.5, -1e-4}) {
        Cloth cloth = walls(slope);
        const Index tip = cloth.tip(1e-5, 0.1, 6e-4);

        EXPECT_EQ(cloth.springs_of(tip).size(), 1u) << slope;
    }
}

TEST(Proximity, LayersBehindTheNearestHaveNoSay) {
    Cloth cloth = walls(0);
    for (const double z : {-3e-4, 9e-4}) {
        const Index a = cloth.vertex(-1, -1, z), b = cloth.vertex(1, -1, z);
        cloth.mesh.face.push_back({a, b, cloth.vertex(0, 1, z)});
    }
    const Index tip = cloth.tip(0.02, 0.1, 4e-4);

    const std::vector<PairSpring> springs = cloth.springs_of(tip);

    // The sheet below and the one above, but not the one beneath the sheet below.
    ASSERT_EQ(springs.size(), 2u);
    EXPECT_NEAR(springs[0].normal.z() * springs[1].normal.z(), -1, 1e-12);
}

// A spring acts both ways: between what is not near yet it would draw together what may never meet.
TEST(Proximity, WhatOnlyApproachesIsLeftToItself) {
    Cloth cloth = walls(0);
    const Index tip = cloth.tip(0.02, 0.1, 1.5 * thickness);

    EXPECT_TRUE(cloth.springs(tip, Vec3(0, 0, -1)).empty());
}

// g + recovery (thickness - g): what is missing comes back in parts, and nothing is ever pulled.
TEST(Proximity, ASpringPushesAPartOfTheWay) {
    Cloth cloth = walls(0);
    const Index tip = cloth.tip(0.02, 0.1, 0.4 * thickness);

    const std::vector<PairSpring> springs = cloth.springs_of(tip);

    ASSERT_EQ(springs.size(), 1u);
    EXPECT_NEAR(springs[0].rest, (0.4 + 0.2 * 0.6) * thickness, 1e-15);
    EXPECT_NEAR(std::abs(springs[0].normal.z()), 1, 1e-12);
}

}  // namespace
}  // namespace taffeta::contact

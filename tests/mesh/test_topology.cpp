#include "taffeta/mesh/topology.h"

#include <gtest/gtest.h>

#include <ctime>

#include "taffeta/mesh/generators.h"

namespace taffeta::mesh {
namespace {

TriMesh mesh_of(std::vector<Triangle> faces, Index vertices) {
    TriMesh mesh;
    for (Index v = 0; v < vertices; ++v)
        mesh.position.emplace_back(v, v * v, 0);
    mesh.face = std::move(faces);
    return mesh;
}

///   2 --- 1        face 0 = (0, 1, 2), face 1 = (0, 3, 1)
///   |  /  |        the shared edge runs 0 -> 1 in face 0, which holds vertex 2 of the hinge
///   0 --- 3
TEST(Topology, HingeFollowsTheLowerFace) {
    const TriMesh mesh = mesh_of({{0, 1, 2}, {0, 3, 1}}, 4);

    const Topology topology = make_topology(mesh);

    ASSERT_EQ(topology.hinge.size(), 1u);
    const Hinge& hinge = topology.hinge[0];
    EXPECT_EQ(hinge.vertex, (std::array<Index, 4>{0, 1, 2, 3}));
    EXPECT_EQ(hinge.face, (std::array<Index, 2>{0, 1}));
    EXPECT_EQ(hinge.local_edge, (std::array<int, 2>{2, 1}));
    EXPECT_EQ(topology.face_hinge[0], (std::array<Index, 3>{-1, -1, 0}));
    EXPECT_EQ(topology.face_hinge[1], (std::array<Index, 3>{-1, 0, -1}));
    EXPECT_EQ(topology.boundary_vertex, (std::vector<Index>{0, 1, 2, 3}));
}

TEST(Topology, EdgesFollowTheFaces) {
    const TriMesh mesh = mesh_of({{2, 1, 0}, {2, 3, 1}}, 4);

    const Topology topology = make_topology(mesh);

    EXPECT_EQ(topology.edge, (std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
    EXPECT_EQ(topology.face_edge[0], (std::array<Index, 3>{0, 1, 2}));
    EXPECT_EQ(topology.face_edge[1], (std::array<Index, 3>{3, 2, 4}));
}

TEST(Topology, InconsistentAndNonManifoldEdgesGetNoHinge) {
    const TriMesh inconsistent = mesh_of({{0, 1, 2}, {0, 1, 3}}, 4);
    const TriMesh three_faces = mesh_of({{0, 1, 2}, {1, 0, 3}, {1, 0, 4}}, 5);
    const TriMesh two_sides = mesh_of({{0, 1, 2}, {0, 2, 1}}, 3);
    const TriMesh repeated = mesh_of({{0, 0, 1}, {0, 1, 2}}, 3);

    EXPECT_TRUE(make_topology(inconsistent).hinge.empty());
    EXPECT_TRUE(make_topology(three_faces).hinge.empty());
    EXPECT_TRUE(make_topology(two_sides).hinge.empty());
    EXPECT_TRUE(make_topology(repeated).hinge.empty());
}

TEST(Topology, EveryHingeOfAGridHasItsVerticesInItsFaces) {
    const TriMesh mesh = grid(12, 9, 1, 1, Tessellation::irregular);

    const Topology topology = make_topology(mesh);

    EXPECT_EQ(mesh.vertex_count() - Index(topology.edge.size()) + mesh.face_count(), 1);
    for (const Hinge& hinge : topology.hinge) {
        const auto corner = [&](std::size_t side, int k) {
            return mesh.face[std::size_t(hinge.face[side])][std::size_t(k % 3)];
        };
        EXPECT_LT(hinge.face[0], hinge.face[1]);
        EXPECT_EQ(corner(0, hinge.local_edge[0]), hinge.vertex[2]);
        EXPECT_EQ(corner(0, hinge.local_edge[0] + 1), hinge.vertex[0]);
        EXPECT_EQ(corner(0, hinge.local_edge[0] + 2), hinge.vertex[1]);
        EXPECT_EQ(corner(1, hinge.local_edge[1]), hinge.vertex[3]);
        EXPECT_EQ(corner(1, hinge.local_edge[1] + 1), hinge.vertex[1]);
    }
}

TEST(Topology, AHubWithManySpokesIsNotQuadratic) {
    TriMesh mesh = mesh_of({}, 2);
    const Index spokes = 400000;
    for (Index s = 1; s < spokes; ++s) {
        mesh.position.emplace_back(s, 1, 0);
        mesh.face.push_back({0, s, s + 1});
    }
    const std::clock_t start = std::clock();

    const Topology topology = make_topology(mesh);

    EXPECT_EQ(topology.hinge.size(), std::size_t(spokes - 2));
    EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

}  // namespace
}  // namespace taffeta::mesh

#include <gtest/gtest.h>

#include <numeric>

#include "taffeta/mesh/tet_mesh.h"
#include "taffeta/mesh/topology.h"

namespace taffeta::mesh::test {
namespace {

double volume(const TetMesh& mesh) {
    double sum = 0;
    for (Index t = 0; t < mesh.tet_count(); ++t)
        sum += tet_volume(mesh, t);
    return sum;
}

/// Volume inside a closed surface, sum of x.(n A)/3: negative where it faces inwards.
double enclosed(const TriMesh& surface) {
    double sum = 0;
    for (const Triangle& f : surface.face) {
        const Vec3& a = surface.position[std::size_t(f[0])];
        const Vec3& b = surface.position[std::size_t(f[1])];
        const Vec3& c = surface.position[std::size_t(f[2])];
        sum += a.dot(b.cross(c)) / 6;
    }
    return sum;
}

TEST(TetBox, FillsTheBoxWithSixPositiveTetsACell) {
    const TetMesh box = tet_box({4, 3, 2}, Vec3(1, 0.6, 0.5));

    EXPECT_EQ(box.vertex_count(), 5 * 4 * 3);
    EXPECT_EQ(box.tet_count(), 6 * 4 * 3 * 2);
    EXPECT_TRUE(check_tets(box).empty());
    EXPECT_NEAR(volume(box), 0.3, 1e-15);
    for (Index t = 0; t < box.tet_count(); ++t)
        EXPECT_NEAR(tet_volume(box, t), 0.3 / 144, 1e-16);
    EXPECT_EQ(box.group.at("x_min").size(), 12u);
    EXPECT_EQ(box.group.at("y_max").size(), 15u);
}

TEST(BoundarySurface, IsClosedAndFacesOutwards) {
    const TetMesh linear = tet_box({4, 3, 2}, Vec3(1, 0.6, 0.5));
    for (const TetMesh& box : {linear, quadratic(linear)}) {
        const TriMesh surface = boundary_surface(box);
        const std::size_t splits = box.quadratic() ? 4 : 1;

        EXPECT_EQ(surface.face.size(), splits * 4 * (4 * 3 + 4 * 2 + 3 * 2));
        EXPECT_EQ(surface.vertex_count(), box.vertex_count());
        EXPECT_NEAR(enclosed(surface), 0.3, 1e-15);
        EXPECT_TRUE(make_topology(surface).boundary_vertex.empty());
    }
}

TEST(QuadraticTets, HaveOneMiddleAnEdge) {
    const TetMesh box = tet_box({2, 1, 1}, Vec3(2, 1, 1));

    const TetMesh made = quadratic(box);

    // Euler for a solid ball: V - E + F - T = 1, with 4 T = 2 F - (boundary faces).
    const Index faces = (4 * box.tet_count() + boundary_surface(box).face_count()) / 2;
    const Index edges = box.vertex_count() + faces - box.tet_count() - 1;
    EXPECT_EQ(made.vertex_count(), box.vertex_count() + edges);
    for (std::size_t t = 0; t < made.tet.size(); ++t)
        for (std::size_t e = 0; e < 6; ++e) {
            const Vec3& a = made.position[std::size_t(made.tet[t][std::size_t(tet_edge[e][0])])];
            const Vec3& b = made.position[std::size_t(made.tet[t][std::size_t(tet_edge[e][1])])];
            EXPECT_EQ(made.position[std::size_t(made.middle[t][e])], 0.5 * (a + b));
        }
    for (const Index vertex : made.group.at("x_max"))
        EXPECT_EQ(made.position[std::size_t(vertex)].x(), 2);
    // A side of one cell: four corners, four edges and one diagonal.
    EXPECT_EQ(made.group.at("x_max").size(), 9u);
}

TEST(LumpedMass, SumsToDensityTimesVolumeAndIsPositive) {
    const TetMesh linear = tet_box({3, 2, 2}, Vec3(0.3, 0.2, 0.1));
    for (const TetMesh& box : {linear, quadratic(linear)}) {
        const std::vector<double> mass = lumped_mass(box, 1000);

        EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), 6, 1e-13);
        for (const double m : mass)
            EXPECT_GT(m, 0);
    }
}

TEST(CheckTets, NamesWhatIsWrong) {
    TetMesh box = tet_box({1, 1, 1}, Vec3(1, 1, 1));
    box.source = "solid.msh";
    box.tet_line = {11, 12, 13, 14, 15, 16};
    std::swap(box.tet[2][0], box.tet[2][1]);
    box.tet[4][3] = 99;
    box.tet[5][3] = box.tet[5][0];

    const Diagnostics found = check_tets(box);

    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].where, "solid.msh:15");
    EXPECT_NE(found[0].message.find("tet 4"), std::string::npos);
    EXPECT_NE(found[1].message.find("twice"), std::string::npos);
    EXPECT_NE(found[2].message.find("inside out"), std::string::npos);
    EXPECT_EQ(found[2].where, "solid.msh:13");
}

TEST(TurnTets, TurnsAndSaysSo) {
    TetMesh box = quadratic(tet_box({1, 1, 1}, Vec3(1, 1, 1)));
    const TetMesh good = box;
    std::swap(box.tet[3][2], box.tet[3][3]);
    std::swap(box.middle[3][1], box.middle[3][2]);
    std::swap(box.middle[3][3], box.middle[3][4]);

    const Diagnostics turned = turn_tets(box);

    ASSERT_EQ(turned.size(), 1u);
    EXPECT_NE(turned[0].message.find("1 tets"), std::string::npos);
    EXPECT_EQ(box.tet, good.tet);
    EXPECT_EQ(box.middle, good.middle);
    EXPECT_TRUE(turn_tets(box).empty());
}

}  // namespace
}  // namespace taffeta::mesh::test

#include "taffeta/mesh/consistent_mass.h"

#include <gtest/gtest.h>

#include <numeric>

#include "taffeta/mesh/generators.h"

namespace taffeta::mesh {
namespace {

std::vector<double> row_sums(const std::vector<MassEntry>& entries, std::size_t rows) {
    std::vector<double> sum(rows, 0);
    for (const MassEntry& entry : entries) {
        sum[std::size_t(entry.i)] += entry.mass;
        if (entry.i != entry.j) sum[std::size_t(entry.j)] += entry.mass;
    }
    return sum;
}

TEST(ConsistentMass, OfATriangleIsTwiceAsLargeOnTheDiagonal) {
    TriMesh mesh = grid(1, 1, 0.4, 0.3, Tessellation::regular);
    mesh.face.pop_back();
    mesh.face_uv.pop_back();
    const RestShape rest = rest_from_uv(mesh, make_topology(mesh), 1);

    const std::vector<MassEntry> entries = consistent_mass(mesh, rest, 2);

    ASSERT_EQ(entries.size(), 6U);  // rho A / 12 = 2 x 0.06 / 12
    for (const MassEntry& entry : entries)
        EXPECT_NEAR(entry.mass, entry.i == entry.j ? 0.02 : 0.01, 1e-15);
}

TEST(ConsistentMass, HasTheLumpedMassesAsRowSums) {
    const TriMesh sheet = grid(5, 4, 0.5, 0.3, Tessellation::irregular);
    const RestShape rest = rest_from_uv(sheet, make_topology(sheet), 1);
    const TetMesh solid = tet_box({3, 2, 2}, Vec3(0.3, 0.2, 0.1));

    const auto of_sheet = row_sums(consistent_mass(sheet, rest, 0.15), sheet.position.size());
    const auto of_solid = row_sums(consistent_mass(solid, 1000), solid.position.size());

    const auto lumped_sheet = lumped_mass(sheet, rest, 0.15);
    const auto lumped_solid = lumped_mass(solid, 1000);
    for (std::size_t i = 0; i < of_sheet.size(); ++i)
        EXPECT_NEAR(of_sheet[i], lumped_sheet[i], 1e-14 * lumped_sheet[i]);
    for (std::size_t i = 0; i < of_solid.size(); ++i)
        EXPECT_NEAR(of_solid[i], lumped_solid[i], 1e-14 * lumped_solid[i]);
    EXPECT_THROW(consistent_mass(quadratic(solid), 1000), Error);
}

TEST(VoronoiMass, IsAQuarterOfACellAtEveryCornerOfAGrid) {
    // Barycentric corners have h^2/3 and h^2/6.
    const TriMesh mesh = grid(3, 3, 0.3, 0.3, Tessellation::regular);
    const RestShape rest = rest_from_uv(mesh, make_topology(mesh), 1);

    const std::vector<double> mass = voronoi_mass(mesh, rest, 1);

    for (const std::size_t corner : {0, 3, 12, 15})
        EXPECT_NEAR(mass[corner], 0.01 / 4, 1e-15);
    EXPECT_NEAR(mass[5], 0.01, 1e-15);
    EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), 0.09, 1e-15);
}

TEST(VoronoiMass, HasTheAreasOfTheReferenceTriangleAndOfAnObtuseOne) {
    TriMesh mesh;
    mesh.position = {{0, 0, 0}, {0.05, 0, 0}, {0.01, 0.04, 0}};
    mesh.face = mesh.face_uv = {{0, 1, 2}};
    mesh.uv = {{0, 0}, {0.05, 0}, {0.01, 0.04}};
    const RestShape rest = rest_from_uv(mesh, make_topology(mesh), 1);
    TriMesh flat = mesh;
    flat.uv = {{0, 0}, {0.05, 0}, {0.02, 0.01}};
    const RestShape obtuse = rest_from_uv(flat, make_topology(flat), 1);

    const std::vector<double> acute_mass = voronoi_mass(mesh, rest, 1);
    const std::vector<double> obtuse_mass = voronoi_mass(flat, obtuse, 1);

    const double expected[] = {0.0004, 0.0002875, 0.0003125};
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(acute_mass[k], expected[k], 1e-15);
    const double area = 0.05 * 0.01 / 2;
    EXPECT_NEAR(obtuse_mass[2], area / 2, 1e-15);
    EXPECT_NEAR(obtuse_mass[0], area / 4, 1e-15);
    EXPECT_NEAR(obtuse_mass[1], area / 4, 1e-15);
}

}  // namespace
}  // namespace taffeta::mesh

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "taffeta/base/error.h"
#include "taffeta/mesh/generators.h"
#include "taffeta/mesh/topology.h"

namespace taffeta::mesh {
namespace {

constexpr double pi = std::numbers::pi;

double signed_volume(const TriMesh& mesh) {
    double six_volumes = 0;
    for (const auto& [a, b, c] : mesh.face)
        six_volumes += mesh.position[std::size_t(a)].dot(
            mesh.position[std::size_t(b)].cross(mesh.position[std::size_t(c)]));
    return six_volumes / 6;
}

/// Closed and consistently wound: every edge has a hinge, and V - E + F = 2.
void expect_sphere_like(const TriMesh& mesh) {
    const Topology topology = make_topology(mesh);

    EXPECT_EQ(topology.hinge.size(), topology.edge.size());
    EXPECT_TRUE(topology.boundary_vertex.empty());
    EXPECT_EQ(mesh.vertex_count() - Index(topology.edge.size()) + mesh.face_count(), 2);
}

TEST(Shapes, IcosphereIsClosedAndNearlyASphere) {
    const TriMesh mesh = icosphere(2, 4);

    expect_sphere_like(mesh);
    EXPECT_EQ(mesh.face_count(), 20 * 256);
    EXPECT_LT(signed_volume(mesh), 4 * pi / 3 * 8);
    EXPECT_NEAR(signed_volume(mesh), 4 * pi / 3 * 8, 0.01 * 33.5);
    for (const Vec3& x : mesh.position)
        EXPECT_NEAR(x.norm(), 2, 1e-14);
}

TEST(Shapes, BoxHasItsVolume) {
    const TriMesh mesh = box(Vec3(1, 2, 3));

    expect_sphere_like(mesh);
    EXPECT_NEAR(signed_volume(mesh), 48, 1e-12);
}

TEST(Shapes, CapsuleIsACylinderAndTwoHalfSpheres) {
    const TriMesh mesh = capsule(.5, Vec3(1, 0, 0), Vec3(1, 3, 0), 128);

    expect_sphere_like(mesh);
    const double exact = pi * .25 * 3 + 4 * pi / 3 * .125;
    EXPECT_NEAR(signed_volume(mesh), exact, .005 * exact);
    EXPECT_NEAR(mesh.position.front().y(), -.5, 1e-15);
    EXPECT_NEAR(mesh.position.back().y(), 3.5, 1e-15);
    expect_sphere_like(capsule(.5, Vec3::Zero(), Vec3::Zero(), 16));
}

TEST(Shapes, CylinderIsAPrismOverAPolygon) {
    const TriMesh mesh = cylinder(2, 3, 12);

    expect_sphere_like(mesh);
    EXPECT_NEAR(signed_volume(mesh), 3 * (12.0 / 2) * 4 * std::sin(2 * pi / 12), 1e-12);
}

TEST(Shapes, DiscHasSixMoreVerticesEachRing) {
    const TriMesh mesh = disc(.15, 28);

    const Topology topology = make_topology(mesh);

    EXPECT_EQ(mesh.vertex_count(), 2437);
    EXPECT_EQ(mesh.face_count(), 4704);
    EXPECT_EQ(mesh.vertex_count() - Index(topology.edge.size()) + mesh.face_count(), 1);
    EXPECT_EQ(topology.boundary_vertex.size(), std::size_t(6 * 28));
    for (const auto& [a, b, c] : mesh.face) {
        const Vec3 p = mesh.position[std::size_t(b)] - mesh.position[std::size_t(a)];
        const Vec3 q = mesh.position[std::size_t(c)] - mesh.position[std::size_t(a)];
        EXPECT_GT(p.cross(q).z(), 0);
    }
}

TEST(Shapes, DiscHoldsItsInnerRingsStill) {
    const TriMesh regular = disc(.15, 9), mesh = disc(.15, 9, Tessellation::irregular, 3, 4);

    // The rim is still too: it is the disc's.
    const Index inner = 1 + 3 * 4 * 5, rim = 1 + 3 * 8 * 9;
    for (Index i = 0; i < mesh.vertex_count(); ++i)
        EXPECT_EQ(mesh.position[std::size_t(i)] == regular.position[std::size_t(i)],
                  i < inner || i >= rim)
            << i;
}

TEST(Shapes, BadNumbersAreRefused) {
    EXPECT_THROW(icosphere(0, 1), Error);
    EXPECT_THROW(icosphere(1, 40), Error);
    EXPECT_THROW(box(Vec3(1, -1, 1)), Error);
    EXPECT_THROW(cylinder(1, 1, 2), Error);
    EXPECT_THROW(disc(1, 0), Error);
}

}  // namespace
}  // namespace taffeta::mesh

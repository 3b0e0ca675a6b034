#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "render/tracer.h"

namespace taffeta::render {
namespace {

/// A unit square at height z = 0 with uv = (x, y), its front up.
///
///     3---2
///     | \ |
///     0---1
RenderMesh square(const Vec3& at = Vec3::Zero()) {
    RenderMesh mesh;
    mesh.position = {at, at + Vec3(1, 0, 0), at + Vec3(1, 1, 0), at + Vec3(0, 1, 0)};
    mesh.uv = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    mesh.face = {{0, 1, 3}, {1, 2, 3}};
    return mesh;
}

RenderMesh cube() {
    RenderMesh mesh;
    for (int corner = 0; corner < 8; ++corner)
        mesh.position.emplace_back(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
    const std::array<std::array<Index, 4>, 6> sides = {
        {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
    for (const auto& side : sides) {
        mesh.face.push_back({side[0], side[1], side[2]});
        mesh.face.push_back({side[0], side[2], side[3]});
    }
    return mesh;
}

TEST(Tracer, HitsWhereTheRayCrosses) {
    const std::vector<RenderMesh> meshes = {square()};
    const Tracer tracer(meshes);

    const auto hit = tracer.nearest(Vec3(0.3, 0.6, 2), Vec3(0, 0, -1));

    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->distance, 2, 1e-6);
    EXPECT_NEAR((hit->position - Vec3(0.3, 0.6, 0)).norm(), 0, 1e-6);
    EXPECT_NEAR((hit->uv - Vec2(0.3, 0.6)).norm(), 0, 1e-6);
    EXPECT_NEAR((hit->warp - Vec3(1, 0, 0)).norm(), 0, 1e-6);
    EXPECT_FALSE(hit->back);
    EXPECT_FALSE(tracer.nearest(Vec3(1.3, 0.6, 2), Vec3(0, 0, -1)));
}

TEST(Tracer, TurnsNormalsTowardsTheEye) {
    const std::vector<RenderMesh> meshes = {square()};
    const Tracer tracer(meshes);

    const auto hit = tracer.nearest(Vec3(0.3, 0.6, -2), Vec3(0, 0, 1));

    ASSERT_TRUE(hit);
    EXPECT_TRUE(hit->back);
    EXPECT_NEAR((hit->flat_normal - Vec3(0, 0, -1)).norm(), 0, 1e-6);
    EXPECT_NEAR((hit->normal - Vec3(0, 0, -1)).norm(), 0, 1e-6);
}

TEST(Tracer, BlocksOnlyAlongTheDirection) {
    const std::vector<RenderMesh> meshes = {square()};
    const Tracer tracer(meshes);

    EXPECT_TRUE(tracer.blocked(Vec3(0.5, 0.5, 1), Vec3(0, 0, -1)));
    EXPECT_FALSE(tracer.blocked(Vec3(0.5, 0.5, 1), Vec3(0, 0, 1)));
    EXPECT_FALSE(tracer.blocked(Vec3(0.5, 0.5, tracer.offset()), Vec3(0, 0, 1)));
}

TEST(Tracer, StaysExactFarFromTheOrigin) {
    // Floats of 1e6 m are 6 cm apart: without recentring a ray would miss by that.
    const Vec3 far(1e6, -2e6, 3e6);
    const std::vector<RenderMesh> meshes = {square(far)};
    const Tracer tracer(meshes);

    const auto hit = tracer.nearest(far + Vec3(0.123, 0.456, 2), Vec3(0, 0, -1));

    ASSERT_TRUE(hit);
    EXPECT_NEAR((hit->position - far - Vec3(0.123, 0.456, 0)).norm(), 0, 1e-6);
}

TEST(Tracer, TakesNoMeshesAtAll) {
    const std::vector<RenderMesh> none;
    const Tracer tracer(none);

    EXPECT_FALSE(tracer.nearest(Vec3::Zero(), Vec3(0, 0, 1)));
    EXPECT_FALSE(tracer.blocked(Vec3::Zero(), Vec3(0, 0, 1)));
}

TEST(CornerNormals, CreaseAngleKeepsEdgesSharp) {
    RenderMesh mesh = cube();
    mesh.crease_angle = 35;

    const auto normals = corner_normals(mesh);

    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(normals[f][k].cwiseAbs().maxCoeff(), 1, 1e-15);
}

TEST(CornerNormals, SmoothOnesPointThroughTheCorners) {
    // Three right angles meet at a corner however the sides are cut: the mean is the diagonal.
    const RenderMesh mesh = cube();

    const auto normals = corner_normals(mesh);

    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 corner = mesh.position[std::size_t(mesh.face[f][k])];
            EXPECT_NEAR((normals[f][k] - corner.normalized()).norm(), 0, 1e-12);
        }
}

TEST(CornerNormals, DegenerateFaceDoesNoHarm) {
    RenderMesh mesh = square();
    mesh.face.push_back({0, 0, 1});

    const auto normals = corner_normals(mesh);

    for (const auto& corners : normals)
        for (const Vec3& normal : corners)
            EXPECT_TRUE(normal.allFinite());
    EXPECT_NEAR((normals[0][0] - Vec3(0, 0, 1)).norm(), 0, 1e-15);
}

}  // namespace
}  // namespace taffeta::render

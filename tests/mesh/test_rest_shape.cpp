#include "taffeta/mesh/rest_shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "taffeta/base/error.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::mesh {
namespace {

constexpr double pi = std::numbers::pi;

std::string error_of(const TriMesh& mesh, double scale = 1) {
    try {
        rest_from_uv(mesh, make_topology(mesh), scale);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        return error.what();
    }
    return "no error";
}

TEST(RestFromUv, ScaleMultipliesLengthsAndSquaresAreas) {
    const TriMesh mesh = grid(4, 3, 1, 1, Tessellation::irregular);
    const Topology topology = make_topology(mesh);

    const RestShape one = rest_from_uv(mesh, topology, 1);
    const RestShape three = rest_from_uv(mesh, topology, 3);

    EXPECT_NEAR(std::accumulate(one.area.begin(), one.area.end(), 0.0), 1, 1e-14);
    EXPECT_NEAR(std::accumulate(three.area.begin(), three.area.end(), 0.0), 9, 1e-13);
    ASSERT_EQ(one.hinge_length.size(), topology.hinge.size());
    for (std::size_t i = 0; i < topology.hinge.size(); ++i) {
        const auto& vertex = topology.hinge[i].vertex;
        const double length =
            (mesh.position[std::size_t(vertex[1])] - mesh.position[std::size_t(vertex[0])]).norm();
        EXPECT_NEAR(one.hinge_length[i], length, 1e-15);
        EXPECT_EQ(one.hinge_angle[i], 0);
    }
}

TEST(RestFromUv, AMirroredMeshIsTurnedWithoutTurningTheWarp) {
    TriMesh mesh = grid(3, 3, 1, 1, Tessellation::regular);
    const RestShape straight = rest_from_uv(mesh, make_topology(mesh), 1);
    for (Vec2& uv : mesh.uv)
        uv.x() = 5 - uv.x();

    const RestShape turned = rest_from_uv(mesh, make_topology(mesh), 1);

    for (std::size_t f = 0; f < mesh.face.size(); ++f) {
        EXPECT_NEAR(turned.area[f], straight.area[f], 1e-15);
        const Vec2 before = straight.face_uv[f][1] - straight.face_uv[f][0];
        const Vec2 after = turned.face_uv[f][1] - turned.face_uv[f][0];
        EXPECT_NEAR((before - after).norm(), 0, 1e-14);
    }
}

/// Two panels side by side, sewn in space, apart in uv; the right one is mirrored.
TEST(RestFromUv, EachChartIsTurnedAlone) {
    TriMesh mesh = grid(2, 1, 1, 1, Tessellation::regular);
    mesh.uv.clear();
    mesh.face_uv.clear();
    for (std::size_t f = 0; f < 4; ++f) {
        const double sign = f < 2 ? 1 : -1, shift = f < 2 ? 0 : 7;
        Triangle corner;
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3& x = mesh.position[std::size_t(mesh.face[f][k])];
            corner[k] = Index(mesh.uv.size());
            mesh.uv.emplace_back(sign * x.x() + shift, x.y());
        }
        mesh.face_uv.push_back(corner);
    }

    const RestShape rest = rest_from_uv(mesh, make_topology(mesh), 1);

    for (const double area : rest.area)
        EXPECT_NEAR(area, .25, 1e-15);
}

TEST(RestFromUv, AFoldedChartIsAnErrorThatNamesTheFace) {
    TriMesh mesh = grid(3, 3, 1, 1, Tessellation::regular);
    mesh.uv[0] = Vec2(.9, .8);
    mesh.source = "shirt.obj";
    for (Index f = 0; f < mesh.face_count(); ++f)
        mesh.face_line.push_back(100 + f);

    const std::string message = error_of(mesh);

    EXPECT_NE(message.find("shirt.obj:10"), std::string::npos) << message;
    EXPECT_NE(message.find("turned over in uv"), std::string::npos) << message;
    EXPECT_NE(message.find("of 18 faces"), std::string::npos) << message;
}

TEST(RestFromUv, MissingAndFlatUvAreErrors) {
    TriMesh without = grid(2, 2, 1, 1, Tessellation::regular);
    without.uv.clear();
    without.face_uv.clear();
    TriMesh partly = grid(2, 2, 1, 1, Tessellation::regular);
    partly.face_uv[3] = {-1, -1, -1};
    TriMesh flat = grid(1, 1, 1, 1, Tessellation::regular);
    flat.uv[1] = Vec2(.5, .5);

    EXPECT_NE(error_of(without).find("no uv coordinates"), std::string::npos);
    EXPECT_NE(error_of(partly).find("1 of 8 faces have no uv coordinates: face 3"),
              std::string::npos);
    EXPECT_NE(error_of(flat).find("1 of 2 faces have no area in uv: face 0"), std::string::npos);
    EXPECT_NE(error_of(grid(1, 1, 1, 1, Tessellation::regular), -2).find("not positive"),
              std::string::npos);
}

TEST(RestFromMesh, KeepsLengthsAndAngles) {
    const TriMesh ball = icosphere(1, 2);
    const Topology topology = make_topology(ball);

    const RestShape rest = rest_from_mesh(ball, topology, Vec3(0, 1, 0), true);

    for (std::size_t f = 0; f < ball.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t n = (k + 1) % 3;
            const Vec3 edge = ball.position[std::size_t(ball.face[f][n])] -
                              ball.position[std::size_t(ball.face[f][k])];
            EXPECT_NEAR((rest.face_uv[f][n] - rest.face_uv[f][k]).norm(), edge.norm(), 1e-14);
            EXPECT_GT(rest.area[f], 0);
        }
    for (const double angle : rest.hinge_angle)
        EXPECT_GT(angle, 0);
    for (const double angle : rest_from_mesh(ball, topology, Vec3(0, 1, 0), false).hinge_angle)
        EXPECT_EQ(angle, 0);
}

TEST(RestFromMesh, UFollowsTheWarp) {
    const TriMesh mesh = grid(2, 2, 1, 1, Tessellation::regular);
    const Topology topology = make_topology(mesh);

    const RestShape along_y = rest_from_mesh(mesh, topology, Vec3(0, 2, 0), false);
    const RestShape normal = rest_from_mesh(mesh, topology, Vec3(0, 0, 1), false);

    EXPECT_NEAR((along_y.face_uv[0][1] - Vec2(0, -.5)).norm(), 0, 1e-15);
    EXPECT_NEAR((normal.face_uv[0][1] - Vec2(.5, 0)).norm(), 0, 1e-15);
}

TEST(RestFromMesh, OtherTopologyAndFlatFacesAreErrors) {
    const TriMesh mesh = grid(2, 2, 1, 1, Tessellation::regular);
    TriMesh flat = mesh;
    flat.position[1] = flat.position[0];

    EXPECT_THROW(rest_from_mesh(grid(3, 2, 1, 1, Tessellation::regular), make_topology(mesh),
                                Vec3(1, 0, 0), false),
                 Error);
    EXPECT_THROW(rest_from_mesh(flat, make_topology(mesh), Vec3(1, 0, 0), false), Error);
}

/// Edge 0 -> 1 along y; vertex 2 to the left, vertex 3 to the right, both normals along +z. With
/// vertex 3 lowered the roof is convex from above.
TEST(HingeAngle, SignAndSizeAreThoseOfTheFold) {
    const Vec3 x0(0, 0, 0), x1(0, 1, 0), x2(-1, .3, 0);
    const auto fold = [&](double angle) {
        return hinge_angle(x0, x1, x2, Vec3(std::cos(angle), .6, -std::sin(angle)));
    };

    for (const double angle : {-3.0, -1.0, -1e-8, 0.0, 1e-8, .5, 2.0, 3.1})
        EXPECT_NEAR(fold(angle), angle, 1e-14);
    EXPECT_NEAR(std::abs(fold(pi)), pi, 1e-14);
}

TEST(LumpedMass, IsTheAreaTimesTheDensity) {
    const TriMesh mesh = grid(30, 30, 1, 1, Tessellation::irregular);
    const RestShape rest = rest_from_uv(mesh, make_topology(mesh), 1);

    const std::vector<double> mass = lumped_mass(mesh, rest, .15);

    EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), .15, 1e-14);
    const std::vector<double> corner =
        lumped_mass(grid(1, 1, 1, 1, Tessellation::regular),
                    rest_from_uv(grid(1, 1, 1, 1, Tessellation::regular),
                                 make_topology(grid(1, 1, 1, 1, Tessellation::regular)), 1),
                    6);
    EXPECT_NEAR(corner[0], 2, 1e-15);
    EXPECT_NEAR(corner[1], 1, 1e-15);
}

}  // namespace
}  // namespace taffeta::mesh

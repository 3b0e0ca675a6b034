#include "taffeta/contact/mesh_distance.h"

#include <gtest/gtest.h>

#include <random>

#include "taffeta/contact/obstacle_mesh.h"
#include "taffeta/contact/rounded_surface.h"

namespace taffeta::contact {
namespace {

mesh::TriMesh unit_box() {
    return rounded_box(Vec3(0.5, 0.5, 0.5), 0, 1);
}

mesh::TriMesh ball(int steps) {
    std::vector<Vec2> profile = rounded_cylinder_profile(1, 2, 1, steps);
    profile.erase(profile.begin());  // the rim's ends are the poles
    profile.pop_back();
    return revolved(profile, 4 * steps);
}

/// A five-pointed prism: concave edges, sharp vertices, faces of very different sizes.
mesh::TriMesh star() {
    mesh::TriMesh mesh;
    const int corners = 10;
    for (int side = 0; side < 2; ++side) {
        mesh.position.emplace_back(0, 0.1 * (2 * side - 1), 0);
        for (int k = 0; k < corners; ++k) {
            const double angle = 6.283185307179586 * k / corners, radius = k % 2 ? 0.3 : 1.0;
            mesh.position.emplace_back(radius * std::cos(angle), 0.1 * (2 * side - 1),
                                       radius * std::sin(angle));
        }
    }
    for (int k = 0; k < corners; ++k) {
        const int a = 1 + k, b = 1 + (k + 1) % corners, up = corners + 1;
        mesh.face.push_back({0, a, b});
        mesh.face.push_back({up, up + b, up + a});
        mesh.face.push_back({a, up + a, up + b});
        mesh.face.push_back({a, up + b, b});
    }
    return mesh;
}

Vec3 random_point(std::mt19937& random, double reach) {
    std::uniform_real_distribution<double> coordinate(-reach, reach);
    return {coordinate(random), coordinate(random), coordinate(random)};
}

/// The closest point of a segment.
Vec3 on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const double along = (b - a).dot(p - a) / (b - a).squaredNorm();
    return a + std::clamp(along, 0.0, 1.0) * (b - a);
}

/// The distance to a triangle by definition: to its inside if p projects there, else to an edge.
double plain_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 normal = (b - a).cross(c - a).normalized();
    // A triangle without area has no inside (and no normal).
    const bool inside = normal.norm() > 0.5 && normal.dot((b - a).cross(p - a)) >= 0 &&
                        normal.dot((c - b).cross(p - b)) >= 0 &&
                        normal.dot((a - c).cross(p - c)) >= 0;
    if (inside) return std::abs(normal.dot(p - a));
    return std::min({(p - on_segment(p, a, b)).norm(), (p - on_segment(p, b, c)).norm(),
                     (p - on_segment(p, c, a)).norm()});
}

double brute_force(const mesh::TriMesh& mesh, const Vec3& p) {
    double least = 1e300;
    for (const Triangle& face : mesh.face)
        least = std::min(least, plain_distance(p, mesh.position[std::size_t(face[0])],
                                               mesh.position[std::size_t(face[1])],
                                               mesh.position[std::size_t(face[2])]));
    return least;
}

/// Inside by the winding number: the solid angle of all faces is 4 pi or 0.
bool is_inside(const mesh::TriMesh& mesh, const Vec3& p) {
    double angle = 0;
    for (const Triangle& face : mesh.face) {
        const Vec3 a = mesh.position[std::size_t(face[0])] - p;
        const Vec3 b = mesh.position[std::size_t(face[1])] - p;
        const Vec3 c = mesh.position[std::size_t(face[2])] - p;
        const double la = a.norm(), lb = b.norm(), lc = c.norm();
        angle += 2 * std::atan2(a.dot(b.cross(c)),
                                la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
    }
    return angle > 6.283185307179586;
}

std::string error_of(const mesh::TriMesh& mesh) {
    Diagnostics diagnostics;
    try {
        closed_outward_surface(mesh, diagnostics);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(ClosestOnTriangle, FeaturesOfTheSevenRegions) {
    //  c (0,1)
    //  | \      .
    //  a---b (1,0)
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
    const auto feature = [&](const Vec3& p) { return closest_on_triangle(p, a, b, c).feature; };

    EXPECT_EQ(feature(Vec3(-1, -1, 1)), TriangleFeature::vertex_a);
    EXPECT_EQ(feature(Vec3(3, 0, 1)), TriangleFeature::vertex_b);
    EXPECT_EQ(feature(Vec3(0, 3, 1)), TriangleFeature::vertex_c);
    EXPECT_EQ(feature(Vec3(1, 1, 1)), TriangleFeature::edge_a);
    EXPECT_EQ(feature(Vec3(-1, 0.5, 1)), TriangleFeature::edge_b);
    EXPECT_EQ(feature(Vec3(0.5, -1, 1)), TriangleFeature::edge_c);
    EXPECT_EQ(feature(Vec3(0.2, 0.2, 1)), TriangleFeature::face);
}

TEST(MeshDistance, EqualsBruteForceAndWindingNumber) {
    std::mt19937 random(1);
    for (const mesh::TriMesh& mesh : {unit_box(), ball(5), star()}) {
        const MeshDistance distance(mesh);
        for (int k = 0; k < 2000; ++k) {
            const Vec3 p = random_point(random, 1.4);

            const MeshDistance::Result result = distance.at(p);

            EXPECT_NEAR(std::abs(result.distance), brute_force(mesh, p), 1e-14);
            EXPECT_EQ(result.distance < 0, is_inside(mesh, p)) << p.transpose();
            EXPECT_NEAR(result.normal.norm(), 1, 1e-12);
        }
    }
}

TEST(MeshDistance, PointsOnVerticesEdgesAndFacesHaveTheirPseudonormal) {
    const mesh::TriMesh mesh = unit_box();
    const MeshDistance distance(mesh);

    const auto at_vertex = distance.at(Vec3(0.5, 0.5, 0.5));
    const auto at_edge = distance.at(Vec3(0.5, 0.5, 0.1));
    const auto at_diagonal = distance.at(Vec3(0.5, 0.1, 0.1));
    const auto at_face = distance.at(Vec3(0.5, 0.2, 0.1));

    EXPECT_LT((at_vertex.normal - Vec3(1, 1, 1).normalized()).norm(), 1e-12);
    EXPECT_LT((at_edge.normal - Vec3(1, 1, 0).normalized()).norm(), 1e-12);
    EXPECT_LT((at_diagonal.normal - Vec3(1, 0, 0)).norm(), 1e-12);
    EXPECT_LT((at_face.normal - Vec3(1, 0, 0)).norm(), 1e-12);
    for (const auto& result : {at_vertex, at_edge, at_diagonal, at_face})
        EXPECT_NEAR(result.distance, 0, 1e-15);
}

TEST(MeshDistance, SignIsRightAtSharpVertices) {
    // Just outside a spike of the star the face normals of half the neighbours point away.
    const mesh::TriMesh mesh = star();
    const MeshDistance distance(mesh);
    std::mt19937 random(2);
    for (const Vec3& vertex : mesh.position)
        for (const double reach : {1e-6, 1e-3, 1e-2})
            for (int k = 0; k < 50; ++k) {
                const Vec3 p = vertex + random_point(random, reach);

                EXPECT_EQ(distance.at(p).distance < 0, is_inside(mesh, p)) << p.transpose();
            }
}

TEST(MeshDistance, TendsToTheSphereWithTheSquareOfTheFacets) {
    std::mt19937 random(3);
    double worst[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        const MeshDistance distance(ball(k ? 32 : 16));
        for (int i = 0; i < 2000; ++i) {
            const Vec3 p = random_point(random, 1.5);
            if (p.norm() < 0.5) continue;
            const MeshDistance::Result result = distance.at(p);
            worst[k] = std::max(worst[k], std::abs(result.distance - (p.norm() - 1)));
        }
    }

    // Sagitta of a facet of angle d: d^2/8 along each of two directions.
    const double facet = 3.14159265 / 2 / 16;
    EXPECT_LT(worst[0], facet * facet / 4 * 1.1);
    EXPECT_NEAR(worst[0] / worst[1], 4, 0.4);
}

TEST(MeshDistance, NearNeverMissesAndSeldomCriesWolf) {
    const mesh::TriMesh mesh = ball(12);
    const MeshDistance distance(mesh);
    std::mt19937 random(4);
    int near = 0, really_near = 0;
    for (int k = 0; k < 20000; ++k) {
        const Vec3 p = random_point(random, 1.5);
        const bool truth = distance.at(p).distance < 0.01;

        const bool answer = distance.near(p, 0.01);

        ASSERT_TRUE(answer || !truth) << p.transpose();
        near += answer;
        really_near += truth;
    }
    EXPECT_LT(near, 1.5 * really_near);
}

TEST(ClosedSurface, AnOpenMeshNamesItsBoundaryEdge) {
    mesh::TriMesh open = unit_box();
    open.face.pop_back();
    open.source = "table.obj";
    open.face_line = std::vector<int>(open.face.size(), 17);

    const std::string message = error_of(open);

    EXPECT_NE(message.find("table.obj:17"), std::string::npos) << message;
    EXPECT_NE(message.find("open"), std::string::npos) << message;
    EXPECT_NE(message.find("edge "), std::string::npos) << message;
}

TEST(ClosedSurface, MixedWindingAndThreefoldEdgesAreBadInput) {
    mesh::TriMesh mixed = unit_box();
    std::swap(mixed.face[3][0], mixed.face[3][1]);
    mesh::TriMesh threefold = unit_box();
    threefold.face.push_back(threefold.face[0]);

    EXPECT_NE(error_of(mixed).find("wound"), std::string::npos);
    EXPECT_NE(error_of(threefold).find("3 faces"), std::string::npos);
    EXPECT_NE(error_of(mesh::TriMesh{}).find("no faces"), std::string::npos);
}

TEST(ClosedSurface, InsideOutIsTurnedAndSaid) {
    mesh::TriMesh inward = unit_box();
    for (Triangle& face : inward.face)
        std::swap(face[0], face[1]);
    Diagnostics diagnostics;

    const auto obstacle = make_mesh_obstacle(inward, Motion{}, diagnostics);

    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_NE(diagnostics[0].message.find("12 faces"), std::string::npos);
    EXPECT_NEAR(obstacle->sample(Vec3(0, 2, 0), 0).distance, 1.5, 1e-14);
    EXPECT_NEAR(obstacle->sample(Vec3(0, 0.4, 0), 0).distance, -0.1, 1e-14);
}

TEST(MeshObstacle, WithoutItsMeshIsAnInternalError) {
    Settings options = Settings::object();
    options["file"] = Settings::of(std::string("body.obj"));
    const auto obstacle = find_entry(obstacles(), "obstacle", "mesh").make(options);

    EXPECT_EQ(obstacle->file(), "body.obj");
    try {
        obstacle->sample(Vec3::Zero(), 0);
        FAIL() << "sampled nothing";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::internal);
    }
}

}  // namespace
}  // namespace taffeta::contact

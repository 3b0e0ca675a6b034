#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "sheet.h"
#include "taffeta/energy/strain_projection.h"

/// Bounds of strain after a step, against strains measured another way and cases by hand.
namespace taffeta::energy::test {
namespace {

constexpr double projection_step = 0.004;

ProjectionReport project(const char* key, const Settings& settings, Body& body,
                         const sparse::NodeFilter& filter) {
    auto projection = find_entry(strain_projections(), "limit", key).make(settings);
    projection->bind(body.view());
    return projection->project(filter, projection_step, body.x, body.v);
}
ProjectionReport project(const char* key, const Settings& settings, Body& body) {
    return project(key, settings, body, sparse::NodeFilter(body.mesh.vertex_count()));
}

/// A sheet with strains of all kinds, beyond the bounds on both sides.
Body strained_sheet() {
    Body body = small_sheet(mesh::Tessellation::irregular, 0, 0);
    for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
        const Vec3 p = vec3(body.x, i);
        vec3(body.x, i) =
            Vec3(1.12 * p.x() + 0.05 * p.y(), 0.9 * p.y(), 0.01 * std::sin(20 * p.x()));
    }
    body.perturb(5e-4, 0.05);
    return body;
}

/// Both singular values of a triangle's deformation gradient.
Vec2 stretches(const Body& body, std::size_t f) {
    const auto& uv = body.rest.face_uv[f];
    const Triangle& face = body.mesh.face[f];
    Eigen::Matrix2d rest;
    rest << uv[1] - uv[0], uv[2] - uv[0];
    Eigen::Matrix<double, 3, 2> now;
    now << Vec3(vec3(body.x, face[1]) - vec3(body.x, face[0])),
        Vec3(vec3(body.x, face[2]) - vec3(body.x, face[0]));
    return (now * rest.inverse()).eval().jacobiSvd().singularValues();
}

TEST(TriangleProjection, BothSingularValuesOfEveryTriangleAreWithinTheBounds) {
    Body body = strained_sheet();
    const ProjectionReport report = project(
        "triangles", options({{"max", 1.05}, {"min", 0.95}, {"tolerance", 1e-5}, {"sweeps", 1e4}}),
        body);

    ASSERT_LE(report.excess, 1e-5);
    double worst = 0;
    for (std::size_t f = 0; f < body.mesh.face.size(); ++f) {
        const Vec2 s = stretches(body, f);
        EXPECT_LE(s[0], 1.05 + 1.001e-5);
        EXPECT_GE(s[1], 0.95 - 1.001e-5);
        worst = std::max({worst, s[0] - 1.05, 0.95 - s[1]});
    }
    EXPECT_NEAR(worst, report.excess, 1e-12);
}

TEST(TriangleProjection, OneStretchBeyondItsBoundIsPulledBackToItAlone) {
    // Stretched by 1.3 along x. The coefficients of x are (-1, 1, 0)/l and those of y (-1/2, -1/2, 1)/l, normal to
    // them for equal masses: the lower corners go towards each other by half of 0.2 l, and nothing else moves.
    //
    //    2
    //   / \      l wide, l high
    //  0---1
    const double l = 0.05;
    Body body = body_of({Vec3(0, 0, 0), Vec3(1.3 * l, 0, 0), Vec3(0.65 * l, l, 0)}, {{0, 1, 2}},
                        {Vec2(0, 0), Vec2(l, 0), Vec2(l / 2, l)});
    const VecX before = body.x;

    const ProjectionReport report = project("triangles", options({{"max", 1.1}}), body);

    EXPECT_LT(report.excess, 1e-15);
    EXPECT_EQ(report.sweeps, 1);
    VecX expected = before;
    expected[0] += 0.1 * l, expected[3] -= 0.1 * l;
    EXPECT_LT((body.x - expected).norm(), 1e-15);
    EXPECT_LT((body.v - (expected - before) / projection_step).norm(), 1e-12);
}

TEST(EdgeProjection, EveryEdgeIsWithinTheBounds) {
    Body body = strained_sheet();
    const ProjectionReport report = project(
        "edges", options({{"max", 1.05}, {"min", 0.95}, {"tolerance", 1e-5}, {"sweeps", 1e4}}),
        body);

    ASSERT_LE(report.excess, 1e-5);
    for (std::size_t f = 0; f < body.mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 now =
                vec3(body.x, body.mesh.face[f][(k + 1) % 3]) - vec3(body.x, body.mesh.face[f][k]);
            const auto& uv = body.rest.face_uv[f];
            const double ratio = now.norm() / (uv[(k + 1) % 3] - uv[k]).norm();
            EXPECT_LE(ratio, 1.05 + 1.001e-5);
            EXPECT_GE(ratio, 0.95 - 1.001e-5);
        }
}

TEST(EdgeProjection, TheHeavyEndMovesLess) {
    // An edge of 1.3 l between masses 1 and 3 is to be 1.1 l: the ends go 0.15 l and 0.05 l. The third
    // corner is near enough to both.
    const double l = 0.05;
    Body body = body_of({Vec3(0, 0, 0), Vec3(1.3 * l, 0, 0), Vec3(0.6 * l, 0.3 * l, 0)},
                        {{0, 1, 2}}, {Vec2(0, 0), Vec2(l, 0), Vec2(0.5 * l, 0.9 * l)});
    body.mass = {1, 3, 1};

    project("edges", options({{"max", 1.1}}), body);

    EXPECT_NEAR(body.x[0], 0.15 * l, 1e-15);
    EXPECT_NEAR(body.x[3], 1.25 * l, 1e-15);
    EXPECT_EQ(body.x[6], 0.6 * l);
}

TEST(EdgeProjection, APinnedEndDoesNotMoveAndTheOtherGoesAllTheWay) {
    const double l = 0.05;
    Body body = body_of({Vec3(0, 0, 0), Vec3(1.3 * l, 0, 0), Vec3(0.6 * l, 0.3 * l, 0)},
                        {{0, 1, 2}}, {Vec2(0, 0), Vec2(l, 0), Vec2(0.5 * l, 0.9 * l)});
    sparse::NodeFilter filter(3);
    filter.fix(0);

    project("edges", options({{"max", 1.1}}), body, filter);

    EXPECT_EQ(body.x[0], 0);
    EXPECT_NEAR(body.x[3], 1.1 * l, 1e-15);
}

}  // namespace
}  // namespace taffeta::energy::test

#include <gtest/gtest.h>

#include "references.h"
#include "taffeta/energy/wind.h"

namespace taffeta::energy::test {
namespace {

Body moving_triangle() {
    Body body = triangle_body(stretched);
    for (Index i = 0; i < 3; ++i)
        vec3(body.v, i) = triangle_velocity[std::size_t(i)];
    return body;
}

Settings wind(const Vec3& velocity) {
    Settings settings = Settings::object();
    settings["velocity"] = FieldTraits<Vec3>::write(velocity);
    return settings;
}

void expect_everywhere(const VecX& force, const Vec3& expected) {
    for (Index i = 0; i < Index(force.size() / 3); ++i)
        EXPECT_LT((vec3(force, i) - expected).norm(), 1e-10 * expected.norm());
}

TEST(Gravity, WeighsEveryVertex) {
    const Body body = small_sheet();
    Settings settings = Settings::object();
    settings["acceleration"] = FieldTraits<Vec3>::write(Vec3(0, 0, -9.81));
    auto gravity = bound(load_terms(), "gravity", settings, body);

    const Evaluated result = evaluate(gravity, body);

    double height = 0, total = 0;
    for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
        const double m = body.mass[std::size_t(i)];
        EXPECT_LT((vec3(result.force, i) - Vec3(0, 0, -9.81 * m)).norm(), 1e-15);
        height += m * body.x[3 * i + 2];
        total += m;
    }
    EXPECT_NEAR(total, 0.15 * 0.26 * 0.2, 1e-15);
    EXPECT_NEAR(gravity->value(body.x), 9.81 * height, 1e-15);
    EXPECT_EQ(gravity->parts(body.x)[0].first, "gravity");
    EXPECT_EQ(result.K.norm(), 0);
}

TEST(Air, QuadraticDragOfReferenceTriangle) {
    const Body body = moving_triangle();
    Settings settings = options({{"density", 1.2}, {"normal", 1.2}, {"tangential", 0.1}});
    settings["wind"] = wind(Vec3(2, 0, 0.5));
    auto air = bound(load_terms(), "air", settings, body);

    const Evaluated result = evaluate(air, body);

    expect_everywhere(result.force,
                      Vec3(0.0001410747750305337, -5.596842000356991e-05, 0.00011777701507688906));
    EXPECT_NEAR(result.D.trace(), 0.0006030157750902292, 1e-10 * 6e-4);
    EXPECT_GE(smallest_eigenvalue(result.D), -1e-12 * result.D.norm());
}

TEST(Air, LinearDragOfReferenceTriangle) {
    const Body body = moving_triangle();
    Settings settings = options({{"drag", "linear"}, {"normal", 0.2}, {"tangential", 0.01}});
    settings["wind"] = wind(Vec3(2, 0, 0.5));
    auto air = bound(load_terms(), "air", settings, body);

    const Evaluated result = evaluate(air, body);

    expect_everywhere(result.force, Vec3(2.1614867811258933e-05, -2.4630213840087486e-05,
                                         5.2914474967200385e-05));
    EXPECT_NEAR(result.D.trace(), 9.551309142381128e-05, 1e-10 * 1e-4);
}

TEST(Air, LinearDampingIsTheDerivativeOfTheForce) {
    const Body body = small_sheet();
    auto air = bound(load_terms(), "air", options({{"drag", "linear"}}), body);
    const Evaluated result = evaluate(air, body);
    const VecX d = random_direction(body.v.size());

    const VecX change = force(air, body.x, body.v + d) - result.force;

    EXPECT_LT((change + result.D * d).norm(), 1e-12 * result.D.norm());
}

TEST(Air, QuadraticDampingLeavesOutOnlyTheUnsymmetricTerm) {
    // Without tangential drag nothing is left out.
    const Body body = small_sheet();
    auto air = bound(load_terms(), "air", options({{"tangential", 0.0}}), body);
    const Evaluated result = evaluate(air, body);
    const VecX d = random_direction(body.v.size());

    const double order = observed_order(
        [&](double t) {
            return (force(air, body.x, body.v + t * d) - result.force + t * result.D * d).norm();
        },
        1e-2);

    EXPECT_NEAR(order, 2, 0.1);
    EXPECT_GE(smallest_eigenvalue(result.D), -1e-12 * result.D.norm());
}

TEST(Air, StillAirOnClothAtRestDoesNothing) {
    Body body = small_sheet();
    body.v.setZero();
    auto air = bound(load_terms(), "air", Settings::object(), body);

    const Evaluated result = evaluate(air, body);

    EXPECT_EQ(result.force.norm(), 0);
    EXPECT_TRUE(result.D.allFinite());
}

TEST(Wind, AddsGusts) {
    Wind field;
    field.velocity = Vec3(6, 0, 0);
    field.gusts = {{Vec3(1.5, 0, 0), 0.5, 0}, {Vec3(0, 2, 0), 0.25, 90}};

    EXPECT_LT((field.at(0) - Vec3(6, 2, 0)).norm(), 1e-15);
    EXPECT_LT((field.at(0.5) - Vec3(7.5, 2 * std::sqrt(0.5), 0)).norm(), 1e-14);
    EXPECT_LT((field.at(1) - Vec3(6, 0, 0)).norm(), 1e-14);
}

TEST(Wind, IsReadFromSettings) {
    Settings gust = Settings::object();
    gust["amplitude"] = FieldTraits<Vec3>::write(Vec3(0, 0, 3));
    gust["frequency"] = Settings::of(2.0);
    gust["phase"] = Settings::of(90.0);
    Settings settings = wind(Vec3(1, 0, 0));
    settings["gusts"] = Settings::array();
    settings["gusts"].items().push_back(gust);

    Wind field;
    read_fields(field, settings);

    EXPECT_LT((field.at(0) - Vec3(1, 0, 3)).norm(), 1e-15);
}

}  // namespace
}  // namespace taffeta::energy::test

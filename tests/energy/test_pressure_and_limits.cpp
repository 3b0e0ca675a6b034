#include <gtest/gtest.h>

#include <numbers>

#include "references.h"
#include "taffeta/energy/wind.h"

namespace taffeta::energy::test {
namespace {

/// A closed box of triangles with corners out of place.
Body crumpled_box() {
    Body body(mesh::tet_box({3, 2, 2}, Vec3(0.3, 0.2, 0.2)));
    body.perturb(0.02, 0);
    return body;
}

double enclosed(const Body& body, const VecX& x) {
    double sum = 0;
    for (const Triangle& f : body.mesh.face)
        sum += Vec3(vec3(x, f[0])).dot(Vec3(vec3(x, f[1])).cross(Vec3(vec3(x, f[2])))) / 6;
    return sum;
}

TEST(Pressure, OnTheReferenceTriangle) {
    const Body body = triangle_body(stretched);
    auto energy = bound(load_terms(), "pressure", options({{"pressure", 100.0}}), body);

    const VecX f = force(energy, body.x, body.v);

    for (Index i = 0; i < 3; ++i) {
        EXPECT_NEAR(f[3 * i], 0.00926666666666667, 1e-12);
        EXPECT_NEAR(f[3 * i + 1], -0.0178333333333334, 1e-12);
        EXPECT_NEAR(f[3 * i + 2], 0.0384833333333333, 1e-12);
    }
}

TEST(Pressure, InAClosedSurfaceIsTheGradientOfTheVolumeAndBalances) {
    const Body body = crumpled_box();
    auto energy = bound(load_terms(), "pressure", options({{"pressure", 100.0}}), body);
    const VecX f = force(energy, body.x, body.v);
    const VecX d = random_direction(body.x.size());
    const double t = 1e-6;

    const double slope =
        (enclosed(body, body.x + t * d) - enclosed(body, body.x - t * d)) / (2 * t);

    EXPECT_NEAR(f.dot(d), 100 * slope, 1e-8 * f.norm());
    EXPECT_LT(unbalance(body.x, f).maxCoeff(), 1e-13);
}

TEST(Limit, IsSilentBelowAndStiffBeyond) {
    Body body = small_sheet(mesh::Tessellation::regular, 0, 0);
    auto limit = bound(
        strain_limits(), "stiffening",
        options({{"warp", 1.05}, {"weft", 1.2}, {"stiffness", 1000.0}, {"onset", 0.04}}), body);
    VecX stretched = body.x, taut = body.x;
    for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
        stretched[3 * i] *= 1.04, stretched[3 * i + 1] *= 1.19;
        taut[3 * i] *= 1.15, taut[3 * i + 1] *= 1.3;
    }

    EXPECT_EQ(limit->value(stretched), 0);
    EXPECT_EQ(force(limit, stretched, body.v).norm(), 0);
    // A k ((e^2 - d e)/2 + d^2/6) twice, e = 0.1 beyond the limit
    EXPECT_NEAR(limit->value(taut), 0.052 * 1000 * (0.01 - 0.004 + 0.0016 / 3), 1e-12);
}

TEST(Vortex, TurnsLikeASolidInsideAndHasItsCirculationOutside) {
    Vortex vortex;
    vortex.center = Vec3(1, 2, 3);
    vortex.axis = Vec3(0, 0, 2);
    vortex.circulation = 3;
    vortex.core = 0.1;
    vortex.velocity = Vec3(1, 0, 0);
    const double time = 2;  // its line is now at x = 3

    const Vec3 middle = vortex.at(time, Vec3(3, 2, -7));
    const Vec3 inside = vortex.at(time, Vec3(3 + 1e-5, 2, 0));
    const Vec3 outside = vortex.at(time, Vec3(3, 4, 0));

    EXPECT_EQ(middle.norm(), 0);
    // Gamma r/(2 pi a^2) and Gamma/(2 pi r), around +z.
    EXPECT_NEAR(inside.y(), 3 * 1e-5 / (2 * std::numbers::pi * 0.01), 1e-9);
    EXPECT_NEAR(outside.x(), -3 / (2 * std::numbers::pi * 2), 1e-12);
    EXPECT_EQ(outside.z(), 0);
}

TEST(Vortex, MovesTheClothAround) {
    // A face in the plane of the axis and the radius is pushed along the turning air.
    const Body body = body_of({Vec3(1, 0, -.1), Vec3(1.2, 0, -.1), Vec3(1.1, 0, .1)}, {{0, 1, 2}},
                              {Vec2(0, 0), Vec2(.2, 0), Vec2(.1, .2)});
    Settings air = Settings::object();
    Settings vortex = Settings::object();
    vortex["axis"] = FieldTraits<Vec3>::write(Vec3(0, 0, 1));
    vortex["circulation"] = Settings::of(10.0);
    air["wind"] = Settings::object();
    air["wind"]["vortices"] = Settings::array();
    air["wind"]["vortices"].items().push_back(vortex);
    auto energy = bound(load_terms(), "air", air, body);

    const VecX f = force(energy, body.x, body.v);

    const double speed = 10 / (2 * std::numbers::pi * 1.1), area = 0.02;
    EXPECT_NEAR(f[1] + f[4] + f[7], 1.2 / 2 * area * 1.2 * speed * speed, 1e-9);
    air["wind"]["vortices"].items()[0]["axis"] = FieldTraits<Vec3>::write(Vec3::Zero());
    EXPECT_THROW(find_entry(load_terms(), "load", "air").make(air), Error);
}

}  // namespace
}  // namespace taffeta::energy::test

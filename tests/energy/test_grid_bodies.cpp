#include <gtest/gtest.h>

#include <numeric>

#include "sheet.h"
#include "taffeta/energy/force_curve.h"

/// Mass-spring bodies and finite differences on grids, against what their constants mean.
namespace taffeta::energy::test {
namespace {

Body flat_grid(Index nx, Index ny, double spacing) {
    return Body(mesh::grid(nx, ny, spacing * nx, spacing * ny, mesh::Tessellation::regular));
}

/// Energy per area of small uniform strains (e_uu, e_vv, 2 e_uv).
double density(const std::unique_ptr<Energy>& energy, const Body& body, const Vec3& strain) {
    VecX x = body.x;
    double area = 0;
    for (const double a : body.rest.area)
        area += a;
    for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
        const Vec3 p = vec3(body.x, i);
        vec3(x, i) += Vec3(strain[0] * p.x() + strain[2] / 2 * p.y(),
                           strain[2] / 2 * p.x() + strain[1] * p.y(), 0);
    }
    return energy->value(x) / area;
}

/// c11, c22, c12, c33 from energies of strains of 1e-5.
Eigen::Vector4d tangent(const std::unique_ptr<Energy>& energy, const Body& body) {
    constexpr double e = 1e-5;
    const double u = 2 * density(energy, body, {e, 0, 0}) / (e * e);
    const double v = 2 * density(energy, body, {0, e, 0}) / (e * e);
    const double both = 2 * density(energy, body, {e, e, 0}) / (e * e);
    const double shear = 2 * density(energy, body, {0, 0, e}) / (e * e);
    return {u, v, (both - u - v) / 2, shear};
}

TEST(SpringSheet, HasTheTangentOfItsStructuralAndDiagonalSprings) {
    const Body body = flat_grid(6, 5, 0.05);
    const auto energy = bound(membrane_laws(), "springs",
                              options({{"structural", 30.0}, {"diagonal", 12.0}}), body);

    const Eigen::Vector4d c = tangent(energy, body);

    EXPECT_NEAR(c[0], 42, 1e-3);  // k_s + k_d
    EXPECT_NEAR(c[1], 42, 1e-3);
    EXPECT_NEAR(c[2], 12, 1e-3);  // k_d
    EXPECT_NEAR(c[3], 12, 1e-3);
}

TEST(SpringSheet, FollowsEngineeringConstantsAlsoOnCellsThatAreNoSquares) {
    const Body body(mesh::grid(6, 5, 0.3, 0.35, mesh::Tessellation::regular));
    const auto energy =
        bound(membrane_laws(), "springs", options({{"stretch", 400.0}, {"shear", 150.0}}), body);

    const Eigen::Vector4d c = tangent(energy, body);

    EXPECT_NEAR(c[0], 400, 0.01);
    EXPECT_NEAR(c[1], 400, 0.01);
    EXPECT_NEAR(c[2], 150, 0.01);
    EXPECT_NEAR(c[3], 150, 0.01);
}

TEST(SpringSheet, RefusesMoreShearThanStretchAndCurvesThatAreNone) {
    const Body body = flat_grid(3, 3, 0.05);

    EXPECT_THROW(
        bound(membrane_laws(), "springs", options({{"stretch", 100.0}, {"shear", 150.0}}), body),
        Error);
    Settings curve = Settings::object();
    curve["curve_strain"] = Settings::array();
    for (const double strain : {0.0, 0.1, 0.1})
        curve["curve_strain"].items().push_back(Settings::of(strain));
    curve["curve_tension"] = curve["curve_strain"];
    EXPECT_THROW(bound(membrane_laws(), "springs", curve, body), Error);
}

TEST(SpringSheet, ByAStraightCurveIsThatOfItsSlope) {
    Body body = flat_grid(5, 4, 0.05);
    Settings curve = options({{"diagonal", 20.0}});
    for (const char* key : {"curve_strain", "curve_tension"}) {
        curve[key] = Settings::array();
        for (const double strain : {-0.2, 0.0, 0.05, 0.3})
            curve[key].items().push_back(
                Settings::of(key == std::string("curve_tension") ? 70 * strain : strain));
    }
    auto measured = bound(membrane_laws(), "springs", curve, body);
    auto plain = bound(membrane_laws(), "springs",
                       options({{"structural", 70.0}, {"diagonal", 20.0}}), body);
    body.perturb(0.02, 0.5);

    const Evaluated a = evaluate(measured, body), b = evaluate(plain, body);

    EXPECT_NEAR(measured->value(body.x), plain->value(body.x), 1e-12 * plain->value(body.x));
    EXPECT_LT((a.force - b.force).norm(), 1e-12 * b.force.norm());
    EXPECT_LT((a.K - b.K).norm(), 1e-12 * b.K.norm());
}

TEST(ForceCurve, RunsThroughItsPointsAndKeepsTheirOrder) {
    const std::vector<double> strain = {-0.05, 0, 0.02, 0.05, 0.1, 0.15},
                              tension = {-1, 0, 1, 2, 40, 41};
    const ForceCurve curve(strain, tension);

    for (std::size_t k = 0; k < strain.size(); ++k)
        EXPECT_NEAR(curve.tension(strain[k]), tension[k], 1e-12);
    EXPECT_EQ(curve.energy(0), 0);
    double last = curve.tension(-0.1);
    for (double e = -0.1; e < 0.2; e += 1e-3) {
        EXPECT_GE(curve.tension(e), last);
        last = curve.tension(e);
        // W' = T and T' = slope, to the order of the difference; T'' jumps at the points.
        EXPECT_NEAR((curve.energy(e + 1e-6) - curve.energy(e - 1e-6)) / 2e-6, curve.tension(e),
                    1e-6);
        EXPECT_NEAR((curve.tension(e + 1e-6) - curve.tension(e - 1e-6)) / 2e-6, curve.slope(e),
                    0.1);
    }
}

TEST(SpringSolid, HasTheEnergyOfItsModulusInDilation) {
    const Body body(mesh::tet_box({3, 2, 2}, Vec3(0.3, 0.2, 0.1)));
    const auto energy = bound(solid_laws(), "springs", options({{"young", 7000.0}}), body);

    // lambda = mu = 2 E/5: mu 3 e^2 + lambda/2 9 e^2 = 3 E e^2, whatever the tets.
    const double e = 1e-3;
    EXPECT_NEAR(energy->value((1 + e) * body.x), 3 * 7000 * e * e * 0.3 * 0.2 * 0.1, 1e-12);
}

TEST(SpringSolid, RefusesQuadraticTets) {
    const Body body(mesh::quadratic(mesh::tet_box({1, 1, 1}, Vec3(0.1, 0.1, 0.1))));

    EXPECT_THROW(bound(solid_laws(), "springs", Settings::object(), body), Error);
}

TEST(FiniteDifferenceSheet, HasTheTangentOfItsConstants) {
    const Body body(mesh::grid(6, 5, 0.3, 0.5, mesh::Tessellation::regular));
    const auto energy =
        bound(membrane_laws(), "finite_differences",
              options({{"stretch_warp", 400.0}, {"stretch_weft", 250.0}, {"shear", 60.0}}), body);

    const Eigen::Vector4d c = tangent(energy, body);

    EXPECT_NEAR(c[0], 400, 0.01);
    EXPECT_NEAR(c[1], 250, 0.01);
    EXPECT_NEAR(c[2], 0, 0.01);
    EXPECT_NEAR(c[3], 60, 0.01);
}

TEST(FiniteDifferencePlate, HasTheStencilOfTheBiLaplacianInside) {
    constexpr double B = 2e-5, h = 0.04;
    Body body = flat_grid(8, 8, h);
    auto energy = bound(bending_terms(), "finite_differences", options({{"stiffness", B}}), body);
    const auto vertex = [](Index i, Index j) { return 9 * j + i; };
    vec3(body.x, vertex(4, 4)).z() += 1e-3;

    const VecX f = force(energy, body.x, body.v);

    const auto at = [&](Index i, Index j) {
        return vec3(f, vertex(i, j)).z() / (-1e-3 * B / (h * h));
    };
    EXPECT_NEAR(at(4, 4), 20, 1e-9);
    EXPECT_NEAR(at(5, 4), -8, 1e-9);
    EXPECT_NEAR(at(4, 3), -8, 1e-9);
    EXPECT_NEAR(at(5, 5), 2, 1e-9);
    EXPECT_NEAR(at(3, 5), 2, 1e-9);
    EXPECT_NEAR(at(6, 4), 1, 1e-9);
    EXPECT_NEAR(at(4, 2), 1, 1e-9);
    EXPECT_NEAR(at(6, 5), 0, 1e-9);
}

TEST(FiniteDifferencePlate, HasThePlatesEnergyForQuadraticSurfaces) {
    constexpr double B = 2e-5;
    const Body body = flat_grid(8, 6, 0.05);
    const auto energy =
        bound(bending_terms(), "finite_differences", options({{"stiffness", B}}), body);
    const auto bent = [&](double a, double b, double c) {  // z = a u^2/2 + b v^2/2 + c u v
        VecX x = body.x;
        for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
            const Vec3 p = vec3(body.x, i);
            vec3(x, i).z() = a * p.x() * p.x() / 2 + b * p.y() * p.y() / 2 + c * p.x() * p.y();
        }
        return energy->value(x);
    };

    // B/2 (a^2 + b^2 + 2 c^2), a and b where there is a second difference: 7/8 and 5/6 of the sheet.
    const double area = 0.4 * 0.3;
    EXPECT_NEAR(bent(0.3, 0, 0), B / 2 * 0.09 * area * 7 / 8, 1e-15);
    EXPECT_NEAR(bent(0, 0.3, 0), B / 2 * 0.09 * area * 5 / 6, 1e-15);
    EXPECT_NEAR(bent(0, 0, 0.3), B / 2 * 0.18 * area, 1e-15);
}

TEST(FiniteDifferences, RefuseMeshesThatAreNoGrid) {
    const Body irregular = small_sheet();
    const Body disc(mesh::disc(0.1, 3));
    for (const Body* body : {&irregular, &disc}) {
        EXPECT_THROW(bound(membrane_laws(), "finite_differences", Settings::object(), *body),
                     Error);
        EXPECT_THROW(bound(bending_terms(), "finite_differences", Settings::object(), *body),
                     Error);
    }
}

}  // namespace
}  // namespace taffeta::energy::test

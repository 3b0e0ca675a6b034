#include "taffeta/energy/law_measured.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>

#include "references.h"
#include "strain_jet.h"

namespace taffeta::energy::test {
namespace {

/// A table that has nothing regular about it.
MeasuredOptions uneven() {
    MeasuredOptions made;
    made.stretching = {200, 10, 900, 50, 260, 40, 1000, 65, 240, 45, 1050, 80,
                       230, 60, 980, 95, 225, 42, 1100, 70, 210, 38, 1200, 75};
    return made;
}

Settings settings_of(const MeasuredOptions& options, const char* psd) {
    Settings made = Settings::object();
    made["stretching"] = FieldTraits<std::vector<double>>::write(options.stretching);
    made["psd"] = Settings::of(std::string(psd));
    return made;
}

/// F = R sqrt(I + 2 G) for a strain e along the direction phi and none across.
Deformation<double> stretched_along(double phi, double e) {
    const Vec2 n(std::cos(phi), std::sin(phi));
    const Mat2 U = Mat2::Identity() + (std::sqrt(1 + 2 * e) - 1) * n * n.transpose();
    return {{U(0, 0), U(1, 0), 0}, {U(0, 1), U(1, 1), 0}};
}

/// G : dpsi/dG, from the stress.
double radial_work(const Measured& law, double phi, double e) {
    const Deformation<double> F = stretched_along(phi, e);
    const Deformation<double> P = law.stress(F);
    // P = F S and G along nn' only: n'S n e, with S = F^-1 P and F symmetric in the plane.
    const Vec2 n(std::cos(phi), std::sin(phi));
    Mat2 Fm, Pm;
    Fm << F.u.x, F.v.x, F.u.y, F.v.y;
    Pm << P.u.x, P.v.x, P.u.y, P.v.y;
    return e * n.dot(Mat2(Fm.inverse() * Pm) * n);
}

/// G : C : G of the law's row, (2 c11, 2 c22, 2 c12, c33 with S12 = 2 c33 G12).
double row_work(const std::vector<double>& table, std::size_t row, double phi, double e) {
    const double* c = table.data() + 4 * row;
    const double G11 = e * std::pow(std::cos(phi), 2), G22 = e * std::pow(std::sin(phi), 2);
    const double G12 = e * std::cos(phi) * std::sin(phi);
    return 2 * c[0] * G11 * G11 + 4 * c[1] * G11 * G22 + 2 * c[2] * G22 * G22 +
           4 * c[3] * G12 * G12;
}

/// The energy as the law states it, differentiated forward: D from its five values by the formula of
/// Lagrange, and nothing in frames of the strain.
StrainJet<double> stated_energy(const std::vector<double>& table, double G11_, double G22_,
                                double G12_) {
    using Jet = StrainJet<double>;
    const Jet G11 = Jet::variable(0, G11_), G22 = Jet::variable(1, G22_),
              G12 = Jet::variable(2, G12_);
    const std::array<Jet, 4> form = {G11 * G11, 2.0 * (G11 * G22), G22 * G22, 2.0 * (G12 * G12)};
    Jet psi = Jet::constant(0);
    for (std::size_t m = 0; m < 4; ++m)
        psi = psi + table[m] * form[m];

    const Jet half = 0.5 * (G11 - G22);
    const Jet r = square_root(half * half + G12 * G12 + 1e-18);
    const Jet e = 0.5 * (G11 + G22) + r;
    if (e.value <= 0) return psi;
    const Jet cosine = half * reciprocal(r), spread = 2.0 * (r * reciprocal(e));
    const Jet one = Jet::constant(1);
    const Jet weight = spread.value < 1 ? spread * spread * (3.0 * one - 2.0 * spread) : one;
    const Jet u = (1 / Measured::table_strain) * e, u_sq = u * u;
    const Jet sigma =
        u.value < 1 ? 0.75 * u_sq - 0.4 * (u_sq * u) : 0.5 * one - 0.15 * reciprocal(u_sq);
    for (std::size_t m = 0; m < 4; ++m) {
        Jet D = Jet::constant(0);
        double mean = 0;
        // Means of the five polynomials over direction: those of x^2 and x^4 are 1/2 and 3/8.
        constexpr double part[5] = {1.0 / 8, 1.0 / 4, 1.0 / 4, 1.0 / 4, 1.0 / 8};
        for (std::size_t row = 0; row < 5; ++row) {
            const double value = table[4 * (row + 1) + m] - table[m];
            Jet basis = Jet::constant(value);
            for (std::size_t other = 0; other < 5; ++other) {
                if (other == row) continue;
                const double at = std::cos(std::numbers::pi * double(row) / 4),
                             zero = std::cos(std::numbers::pi * double(other) / 4);
                basis = (1 / (at - zero)) * (basis * (cosine + -zero));
            }
            D = D + basis;
            mean += part[row] * value;
        }
        psi = psi + 2.0 * (sigma * ((weight * (D + -mean) + mean) * form[m]));
    }
    return psi;
}

/// [a1 a2 a3] with F'F = I + 2 G, turned in space.
Deformation<double> of_strain(double G11, double G22, double G12) {
    const double ux = std::sqrt(1 + 2 * G11), vx = 2 * G12 / ux;
    const Mat3 R = some_rotation();
    return {lane_vector(R * Vec3(ux, 0, 0)),
            lane_vector(R * Vec3(vx, std::sqrt(1 + 2 * G22 - vx * vx), 0))};
}

/// The larger principal strain, and half the difference of both over it: t = 1/2 is uniaxial tension, where
/// second derivatives jump.
struct Region {
    const char* name;
    double e, t;
};

TEST(Measured, IsTheStatedEnergyWithItsDerivatives) {
    const MeasuredOptions options = uneven();
    const Measured law(options);
    const double E = Measured::table_strain;
    for (const Region& region :
         {Region{"along one", 0.6 * E, 0.53}, Region{"sheared", 0.8 * E, 0.9},
          Region{"far", 2.5 * E, 0.3}, Region{"nearly equal", 0.7 * E, 0.01},
          Region{"between", 0.4 * E, 0.35}, Region{"pressed", 0.05 * E, 3.0},
          Region{"all pressed", -0.3 * E, -0.4}})
        for (const double angle : {0.0, 0.4, 0.9, 1.7, 2.6, 3.1}) {
            const double r = region.t * region.e, m = region.e - r;  // 2 phi is the angle
            const double G11 = m + r * std::cos(angle), G22 = m - r * std::cos(angle),
                         G12 = r * std::sin(angle);
            const StrainJet<double> expected = stated_energy(options.stretching, G11, G22, G12);

            const Deformation<double> F = of_strain(G11, G22, G12), P = law.stress(F);
            const MembraneHessian<double> H = law.hessian(F, PsdRule::exact);

            const std::string where = std::string(region.name) + " " + std::to_string(angle);
            EXPECT_NEAR(law.psi(F)[0], expected.value, 1e-10 * expected.value) << where;
            const auto& d = expected.d;
            const Deformation<double> stress = {d[0] * F.u + 0.5 * d[2] * F.v,
                                                0.5 * d[2] * F.u + d[1] * F.v};
            const double size = std::sqrt(dot(stress.u, stress.u) + dot(stress.v, stress.v));
            EXPECT_LT((eigen_vector(P.u - stress.u)).norm(), 1e-10 * size) << where;
            EXPECT_LT((eigen_vector(P.v - stress.v)).norm(), 1e-10 * size) << where;
            // Of G11, G22 and G12 by w_u and w_v: (w_u, 0), (0, w_v) and (w_v, w_u)/2.
            const Vec3 u = eigen_vector(F.u), v = eigen_vector(F.v);
            Eigen::Matrix<double, 6, 3> B;
            B << u, Vec3::Zero(), v / 2, Vec3::Zero(), v, u / 2;
            const auto& dd = expected.dd;
            Mat3 C;
            C << dd[0], dd[1], dd[2], dd[1], dd[3], dd[4], dd[2], dd[4], dd[5];
            Eigen::Matrix<double, 6, 6> K = B * C * B.transpose();
            K.topLeftCorner<3, 3>() += d[0] * Mat3::Identity();
            K.bottomRightCorner<3, 3>() += d[1] * Mat3::Identity();
            K.topRightCorner<3, 3>() += d[2] / 2 * Mat3::Identity();
            K.bottomLeftCorner<3, 3>() += d[2] / 2 * Mat3::Identity();
            EXPECT_LT((eigen_matrix(H.uu) - K.topLeftCorner<3, 3>()).norm(), 1e-10 * K.norm())
                << where;
            EXPECT_LT((eigen_matrix(H.vv) - K.bottomRightCorner<3, 3>()).norm(), 1e-10 * K.norm())
                << where;
            EXPECT_LT((eigen_matrix(H.uv) - K.topRightCorner<3, 3>()).norm(), 1e-10 * K.norm())
                << where;
        }
}

TEST(Measured, HasTheWorkOfEveryRowAtItsDirectionAndStrain) {
    const MeasuredOptions options = uneven();
    const Measured law(options);
    for (std::size_t row = 1; row <= 5; ++row) {
        const double phi = double(row - 1) * std::numbers::pi / 8, e = Measured::table_strain;
        const double expected = row_work(options.stretching, row, phi, e);

        EXPECT_NEAR(radial_work(law, phi, e), expected, 1e-10 * expected) << row;
        // Warp and weft are mirrors.
        EXPECT_NEAR(radial_work(law, -phi, e), expected, 1e-10 * expected) << row;
        // Half way in strain counts half: 3u^2 - 2u^3 = 1/2 at u = 1/2.
        const double half = 0.5 * (row_work(options.stretching, row, phi, e / 2) +
                                   row_work(options.stretching, 0, phi, e / 2));
        EXPECT_NEAR(radial_work(law, phi, e / 2), half, 1e-10 * half) << row;
        // Beyond the table its last values stay.
        const double beyond = row_work(options.stretching, row, phi, 2 * e);
        EXPECT_NEAR(radial_work(law, phi, 2 * e), beyond, 1e-10 * beyond) << row;
    }
}

TEST(Measured, SmallStrainsAreThoseOfRowZero) {
    const Body body = small_sheet(mesh::Tessellation::irregular, 0, 0);
    auto measured = bound(membrane_laws(), "measured", settings_of(uneven(), "exact"), body);
    auto conditions = bound(membrane_laws(), "baraff_witkin",
                            options({{"stretch_warp", 400.0},
                                     {"stretch_weft", 1800.0},
                                     {"stretch_coupling", 20.0},
                                     {"shear", 50.0},
                                     {"psd", "exact"}}),
                            body);

    const MatX K = evaluate(conditions, body).K;

    EXPECT_NEAR(measured->value(body.x), 0, 1e-25);
    EXPECT_LT((evaluate(measured, body).K - K).norm(), 1e-9 * K.norm());
}

TEST(Measured, DerivesThroughAllItsRegions) {
    // Compressed, nearly equal stretch, beyond the table, and sheared, all in one random sheet.
    for (const double distance : {0.004, 0.012, 0.02}) {
        const Body body = small_sheet(mesh::Tessellation::irregular, distance);
        auto exact = bound(membrane_laws(), "measured", settings_of(uneven(), "exact"), body);
        auto clamped = bound(membrane_laws(), "measured", settings_of(uneven(), "clamp"), body);

        const MatX K = evaluate(clamped, body).K;

        EXPECT_NEAR(gradient_order(exact, body, 1e-3), 2, 0.2);
        EXPECT_NEAR(hessian_order(exact, body, 2e-4), 2, 0.2);
        EXPECT_LE((K - K.transpose()).norm(), 1e-13 * K.norm());
        EXPECT_GE(smallest_eigenvalue(K), -1e-12 * largest_eigenvalue(K));
    }
}

TEST(Measured, NegativeEntriesCountAsNoneAndWrongTablesAreNamed) {
    MeasuredOptions negative = uneven(), none = uneven();
    negative.stretching[9] = -300, none.stretching[9] = 0;
    const Deformation<double> F = stretched_along(0.4, 0.1);

    EXPECT_EQ(Measured(negative).psi(F)[0], Measured(none).psi(F)[0]);
    MeasuredOptions short_table = uneven();
    short_table.stretching.pop_back();
    EXPECT_THROW(
        find_entry(membrane_laws(), "law", "measured").make(settings_of(short_table, "clamp")),
        Error);
}

}  // namespace
}  // namespace taffeta::energy::test

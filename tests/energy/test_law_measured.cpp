#include "taffeta/energy/law_measured.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>

#include "references.h"

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

#include <gtest/gtest.h>

#include "references.h"
#include "taffeta/energy/law_baraff_witkin.h"
#include "taffeta/energy/psd.h"

namespace taffeta::energy::test {
namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Mat9 = Eigen::Matrix<double, 9, 9>;

Mat6 matrix(const MembraneHessian<double>& H) {
    Mat6 m;
    m << eigen_matrix(H.uu), eigen_matrix(H.uv), eigen_matrix(H.uv).transpose(), eigen_matrix(H.vv);
    return m;
}

Deformation<double> deformation(const std::array<Vec3, 3>& x) {
    return deformation_map(triangle_uv)
        .gradient(lane_vector(x[0]), lane_vector(x[1]), lane_vector(x[2]));
}

Mat9 element_hessian(const MembraneHessian<double>& H) {
    const CornerBlocks<double> K = corner_blocks(deformation_map(triangle_uv), H);
    Mat9 m;
    const Mat3 K01 = eigen_matrix(K.b01), K02 = eigen_matrix(K.b02), K12 = eigen_matrix(K.b12);
    m << eigen_matrix(K.b00), K01, K02, K01.transpose(), eigen_matrix(K.b11), K12, K02.transpose(),
        K12.transpose(), eigen_matrix(K.b22);
    return m;
}

void expect_element(const BaraffWitkinOptions& options, const std::array<Vec3, 3>& x,
                    const Reference<3>& expected) {
    const BaraffWitkin law(options);
    const DeformationMap<double> map = deformation_map(triangle_uv);
    const Deformation<double> F = deformation(x);

    const auto psi = law.psi(F);
    const auto force = corner_forces(map, law.stress(F));
    const Mat9 H = element_hessian(law.hessian(F, PsdRule::exact));
    const Mat9 clamped = element_hessian(law.hessian(F, PsdRule::clamp));
    const Mat9 gauss_newton = element_hessian(law.hessian(F, PsdRule::gauss_newton));

    EXPECT_NEAR(map.area * (psi[0] + psi[1]), expected.energy, 1e-10 * expected.energy);
    double scale = 0;
    for (const auto& f : expected.force)
        scale = std::max(scale, std::abs(f[0]));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(force[i].x, expected.force[i][0], 1e-10 * scale);
        EXPECT_NEAR(force[i].y, expected.force[i][1], 1e-10 * scale);
        EXPECT_NEAR(force[i].z, expected.force[i][2], 1e-10 * scale);
    }
    const double norm = expected.norm;
    EXPECT_NEAR(H(0, 0), expected.h00, 1e-10 * norm);
    EXPECT_NEAR(H(0, 4), expected.h04, 1e-10 * norm);
    EXPECT_NEAR(H(2, 5), expected.h25, 1e-10 * norm);
    EXPECT_NEAR(H(1, 8), expected.h1_last, 1e-10 * norm);
    EXPECT_NEAR(H.trace(), expected.trace, 1e-10 * norm);
    EXPECT_NEAR(H.norm(), expected.norm, 1e-10 * norm);
    EXPECT_NEAR(clamped.trace(), expected.clamp_trace, 1e-10 * norm);
    EXPECT_NEAR(clamped.norm(), expected.clamp_norm, 1e-10 * norm);
    EXPECT_NEAR(gauss_newton.trace(), expected.gauss_newton_trace, 1e-10 * norm);
    EXPECT_LT((H - H.transpose()).norm(), 1e-14 * norm);
}

BaraffWitkinOptions only_stretch() {
    BaraffWitkinOptions options;
    options.stretch_weft = 2000;
    options.shear = 0;
    return options;
}
BaraffWitkinOptions only_coupling() {
    BaraffWitkinOptions options;
    options.stretch_warp = options.stretch_weft = options.shear = 0;
    options.stretch_coupling = 400;
    return options;
}
BaraffWitkinOptions only_shear() {
    BaraffWitkinOptions options;
    options.stretch_warp = options.stretch_weft = 0;
    return options;
}

TEST(BaraffWitkin, StretchOfReferenceTriangles) {
    expect_element(only_stretch(), stretched, stretch_stretched);
    expect_element(only_stretch(), compressed, stretch_compressed);
}

TEST(BaraffWitkin, CouplingOfReferenceTriangles) {
    expect_element(only_coupling(), stretched, coupling_stretched);
    expect_element(only_coupling(), compressed, coupling_compressed);
}

TEST(BaraffWitkin, ShearOfReferenceTriangles) {
    expect_element(only_shear(), stretched, shear_stretched);
    expect_element(only_shear(), compressed, shear_compressed);
}

TEST(BaraffWitkin, ConditionsOfReferenceTriangle) {
    const Deformation<double> F = deformation(stretched);

    EXPECT_NEAR(eigen_vector(F.u).norm() - 1, 0.12676528168026202, 1e-14);
    EXPECT_NEAR(eigen_vector(F.v).norm() - 1, 0.15638445164227277, 1e-14);
    EXPECT_NEAR(dot(F.u, F.v), -0.0369, 1e-14);
}

/// Deformations at which a clamp changes its branch: parallel, opposite, equal, perpendicular and
/// vanishing columns, and ordinary ones.
std::vector<Deformation<double>> deformations() {
    std::vector<Deformation<double>> list;
    const Vector3<double> a{1.1, 0.2, -0.3}, b{-0.1, 0.9, 0.4}, zero{0, 0, 0}, x{1, 0, 0},
        y{0, 1, 0};
    for (const auto& [u, v] : {std::pair(a, b),
                               {a, -b},
                               {a, a},
                               {a, -a},
                               {x, y},
                               {zero, zero},
                               {a, zero},
                               {zero, b},
                               {x, 0.5 * x},
                               {x, -2.0 * x},
                               {1e-6 * a, b}})
        list.push_back({u, v});
    for (const double s : {1e-12, -1e-12, 1e-8, -1e-8})
        list.push_back({x, Vector3<double>{s, 1, 0}});
    std::mt19937_64 generator(11);
    const auto random = [&] { return double(generator() >> 11) * 0x1p-52 - 1; };
    for (int i = 0; i < 200; ++i)
        list.push_back({{random(), random(), random()}, {random(), random(), random()}});
    return list;
}

TEST(BaraffWitkin, ClosedClampOfShearIsThePositivePart) {
    for (const Deformation<double>& F : deformations()) {
        Mat6 expected = matrix(BaraffWitkin::shear_hessian(F, PsdRule::exact));
        const double scale = expected.norm();
        expected = spectral_positive_part(expected);

        const Mat6 closed = matrix(BaraffWitkin::shear_hessian(F, PsdRule::clamp));

        EXPECT_LE((closed - expected).norm(), 1e-12 * scale);
    }
}

TEST(BaraffWitkin, ShearHasThreeNegativeEigenvaluesUnlessPerpendicular) {
    const Deformation<double> F = deformation(compressed);

    const Eigen::VectorXd values =
        oracle::eigenvalues(matrix(BaraffWitkin::shear_hessian(F, PsdRule::exact)));

    EXPECT_EQ((values.array() < 0).count(), 3);
}

TEST(BaraffWitkin, ClosedClampOfStretchIsThePositivePart) {
    for (const Deformation<double>& F : deformations()) {
        const BaraffWitkin law(only_stretch());
        Mat6 expected = matrix(law.hessian(F, PsdRule::exact));
        const double scale = expected.norm();
        expected = spectral_positive_part(expected);

        const Mat6 closed = matrix(law.hessian(F, PsdRule::clamp));

        EXPECT_LE((closed - expected).norm(), 1e-12 * scale);
    }
}

TEST(BaraffWitkin, CoupledClampIsPositiveAndKeepsThePositivePartOfTheTangentialModes) {
    BaraffWitkinOptions options = only_stretch();
    options.stretch_coupling = 2400;  // close to sqrt(k_u k_v) = 2449
    const BaraffWitkin law(options);
    for (const Deformation<double>& F : deformations()) {
        Mat6 expected = matrix(law.hessian(F, PsdRule::exact));
        const double scale = expected.norm();
        expected = spectral_positive_part(expected);

        const Mat6 closed = matrix(law.hessian(F, PsdRule::clamp));

        EXPECT_GE(smallest_eigenvalue(closed), -1e-12 * scale);
        EXPECT_LE((closed - expected).norm(), 1e-12 * scale);
    }
}

TEST(BaraffWitkin, SmallStrainStiffnessIsThatOfTheOptions) {
    BaraffWitkinOptions options;
    options.stretch_warp = 1000, options.stretch_weft = 700, options.stretch_coupling = 300;
    options.shear = 90;

    const Mat6 H = matrix(
        BaraffWitkin(options).hessian(Deformation<double>{{1, 0, 0}, {0, 1, 0}}, PsdRule::exact));

    EXPECT_DOUBLE_EQ(H(0, 0), 1000);  // e_uu e_uu
    EXPECT_DOUBLE_EQ(H(4, 4), 700);
    EXPECT_DOUBLE_EQ(H(0, 4), 300);
    EXPECT_DOUBLE_EQ(H(1, 1), 90);  // shear: the v component of w_u
    EXPECT_DOUBLE_EQ(H(1, 3), 90);
}

TEST(BaraffWitkin, DampingOfReferenceTriangle) {
    const DeformationMap<double> map = deformation_map(triangle_uv);
    const Deformation<double> F = deformation(stretched), rate = deformation(triangle_velocity);
    BaraffWitkinOptions warp, weft, shear;
    warp.stretch_warp = weft.stretch_weft = shear.shear = 3;  // k_d = tau k = 3 N s/m
    warp.stretch_weft = warp.shear = weft.stretch_warp = weft.shear = 0;
    shear.stretch_warp = shear.stretch_weft = 0;
    warp.tau_stretch = weft.tau_stretch = shear.tau_shear = 1;
    struct Case {
        BaraffWitkinOptions options;
        double force[3][3], trace;
    };
    const Case cases[] = {{warp,
                           {{0.08733459357277883, 0.011115311909262736, -0.01587901701323253},
                            {-0.08733459357277883, -0.011115311909262736, 0.01587901701323253},
                            {0, 0, 0}},
                           2.4},
                          {weft,
                           {{-0.05663594383891993, 0.7853517545663591, 0.3775729589261342},
                            {-0.014158985959729982, 0.19633793864158977, 0.09439323973153355},
                            {0.0707949297986499, -0.9816896932079489, -0.47196619865766776}},
                           3.15},
                          {shear,
                           {{-1.64451, -1.893192, -0.48132},
                            {-0.56154, 1.612422, 0.88242},
                            {2.20605, 0.28077, -0.4011}},
                           7.14216}};
    for (const Case& c : cases) {
        const MembraneHessian<double> V = BaraffWitkin(c.options).viscosity(F);

        const auto f = corner_forces(map, apply(V, rate));

        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(f[i].x, c.force[i][0], 1e-12);
            EXPECT_NEAR(f[i].y, c.force[i][1], 1e-12);
            EXPECT_NEAR(f[i].z, c.force[i][2], 1e-12);
        }
        EXPECT_NEAR(element_hessian(V).trace(), c.trace, 1e-12);
    }
}

TEST(BaraffWitkin, RefusesTooMuchCoupling) {
    const auto make = [](double coupling) {
        return find_entry(membrane_laws(), "law", "baraff_witkin")
            .make(options({{"stretch_warp", 1000.0},
                           {"stretch_weft", 250.0},
                           {"stretch_coupling", coupling}}));
    };

    EXPECT_NO_THROW(make(500));
    EXPECT_THROW(make(501), Error);
    EXPECT_THROW(make(-501), Error);
}

TEST(BaraffWitkin, RefusesNegativeStiffnessAndUnknownKeys) {
    const EnergyEntry& entry = find_entry(membrane_laws(), "law", "baraff_witkin");

    EXPECT_THROW(entry.make(options({{"stretch_warp", -1.0}})), Error);
    EXPECT_THROW(entry.make(options({{"tau_shear", -1.0}})), Error);
    EXPECT_THROW(entry.make(options({{"stretch_wrap", 1.0}})), Error);
    EXPECT_THROW(entry.make(options({{"psd", "sometimes"}})), Error);
}

}  // namespace
}  // namespace taffeta::energy::test

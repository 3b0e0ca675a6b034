#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "helpers/expectations.h"
#include "solid_references.h"

namespace taffeta::energy::test {
namespace {

const char* const rotating_laws[] = {"corotational", "arap", "stvk", "neo_hookean",
                                     "neo_hookean_plain"};
const char* const laws[] = {"linear", "corotational", "arap",
                            "stvk",   "neo_hookean",  "neo_hookean_plain"};

Body tet_body(const std::array<Vec3, 4>& x) {
    mesh::TetMesh tet;
    tet.position = {tet_rest.begin(), tet_rest.end()};
    tet.tet = {{0, 1, 2, 3}};
    Body body(std::move(tet));
    for (Index i = 0; i < 4; ++i)
        vec3(body.x, i) = x[std::size_t(i)];
    return body;
}

Settings reference_material(const char* psd) {
    return options({{"young", 1e5}, {"poisson", 0.4}, {"psd", psd}});
}

MatX positive_part(const MatX& A) {
    const Eigen::SelfAdjointEigenSolver<MatX> eigen(A);
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
           eigen.eigenvectors().transpose();
}

TEST(SolidLaws, ReferenceTets) {
    for (const SolidReference& reference : solid_references) {
        SCOPED_TRACE(reference.law);
        const Reference<4>& expected = reference.expected;
        const Body body = tet_body(reference.x);
        auto exact = bound(solid_laws(), reference.law, reference_material("exact"), body);
        auto clamped = bound(solid_laws(), reference.law, reference_material("clamp"), body);

        const Evaluated result = evaluate(exact, body);
        const MatX clamped_K = evaluate(clamped, body).K;

        const double norm = expected.norm;
        EXPECT_NEAR(exact->value(body.x), expected.energy, 1e-10 * expected.energy);
        for (std::size_t i = 0; i < 12; ++i)
            EXPECT_NEAR(result.force[Eigen::Index(i)], expected.force[i / 3][i % 3],
                        1e-10 * result.force.norm());
        EXPECT_NEAR(result.K(0, 0), expected.h00, 1e-10 * norm);
        EXPECT_NEAR(result.K(0, 4), expected.h04, 1e-10 * norm);
        EXPECT_NEAR(result.K(2, 5), expected.h25, 1e-10 * norm);
        EXPECT_NEAR(result.K(1, 11), expected.h1_last, 1e-10 * norm);
        EXPECT_NEAR(result.K.trace(), expected.trace, 1e-10 * norm);
        EXPECT_NEAR(result.K.norm(), expected.norm, 1e-10 * norm);
        EXPECT_NEAR(clamped_K.trace(), expected.clamp_trace, 1e-10 * norm);
        EXPECT_NEAR(clamped_K.norm(), expected.clamp_norm, 1e-10 * norm);
    }
}

// The shape gradients c_1 to c_3 of this tet are unit vectors, so the blocks of corners 1 to 3 are V times
// the Hessian in F-space, and their positive part is known from any eigenvalue solver.
TEST(SolidLaws, ClampIsThePositivePartAlsoForTetsThatAreInsideOutOrDegenerate) {
    const std::array<Mat3, 5> gradients = {
        Mat3{{0.4, 0.1, -0.2}, {0.3, 0.5, 0.1}, {-0.1, 0.2, 0.3}},
        Mat3{{-1.1, 0.1, 0.3}, {0.2, 0.9, 0.1}, {0.1, -0.2, 1.2}},  // inside out
        Mat3{{0.7, 0, 0}, {0, 0.7, 0}, {0, 0, 0.7}},                // three equal values
        Mat3{{1, 0.2, 0}, {0, 1, 0}, {0, 0, 0}},                    // flat
        Mat3{{0.3, 0, 0}, {0, 1.4, 0}, {0, 0, 0.3}}};
    for (const char* law : rotating_laws)
        for (std::size_t g = 0; g < gradients.size(); ++g) {
            SCOPED_TRACE(::testing::Message() << law << ", gradient " << g);
            mesh::TetMesh tet;
            tet.position = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
            tet.tet = {{0, 1, 2, 3}};
            Body body(std::move(tet));
            for (Index i = 0; i < 4; ++i)
                vec3(body.x, i) = gradients[g] * Vec3(vec3(body.x, i)) + Vec3(0.1, 0.2, 0.3);
            auto exact = bound(solid_laws(), law, reference_material("exact"), body);
            auto clamped = bound(solid_laws(), law, reference_material("automatic"), body);

            const MatX whole = evaluate(exact, body).K.bottomRightCorner(9, 9);
            const MatX kept = evaluate(clamped, body).K.bottomRightCorner(9, 9);

            EXPECT_LE((kept - positive_part(whole)).norm(), 1e-10 * whole.norm());
        }
}

TEST(SolidLaws, RestIsWithoutEnergyAndForceInAnyOrientation) {
    for (const bool quadratic : {false, true})
        for (const char* law : rotating_laws) {
            SCOPED_TRACE(law);
            Body body = small_solid(quadratic, 0, 0);
            body.x = rotated(some_rotation(), body.x);
            auto energy = bound(solid_laws(), law, Settings::object(), body);

            const VecX f = force(energy, body.x, body.v);

            const double scale = 5e4 * 0.16 * 0.11;  // Young's modulus times a section, N
            EXPECT_NEAR(energy->value(body.x), 0, 1e-14 * scale);
            EXPECT_LT(f.cwiseAbs().maxCoeff(), 1e-14 * scale);
        }
}

TEST(SolidLaws, HaveTheTangentOfLinearElasticityAtRest) {
    const Body body = small_solid(false, 0, 0);
    auto linear = bound(solid_laws(), "linear", Settings::object(), body);
    const MatX K = evaluate(linear, body).K;
    for (const char* law : {"corotational", "stvk", "neo_hookean", "neo_hookean_plain"}) {
        auto energy = bound(solid_laws(), law, options({{"psd", "exact"}}), body);

        EXPECT_LT((evaluate(energy, body).K - K).norm(), 1e-12 * K.norm()) << law;
    }
}

TEST(SolidLaws, QuadraticTetsDeriveAndBalance) {
    const Body body = small_solid(true, 0.006);
    for (const char* law : rotating_laws) {
        SCOPED_TRACE(law);
        auto energy = bound(solid_laws(), law, options({{"psd", "exact"}}), body);
        auto clamped = bound(solid_laws(), law, options({{"tau", 0.01}}), body);

        const Evaluated result = evaluate(clamped, body);

        EXPECT_NEAR(gradient_order(energy, body, 1e-3), 2, 0.2);
        EXPECT_NEAR(hessian_order(energy, body, 1e-3), 2, 0.2);
        EXPECT_LT(unbalance(body.x, result.force).maxCoeff(), 1e-12);
        EXPECT_GE(smallest_eigenvalue(result.K), -1e-12 * largest_eigenvalue(result.K));
        EXPECT_GE(smallest_eigenvalue(result.D), -1e-12 * largest_eigenvalue(result.D));
    }
}

// A quadratic displacement field is one that quadratic tets represent: the energy of linear elasticity
// is then an integral known in closed form. u = (a x^2, 0, 0) on a box: e_xx = 2 a x,
// psi = (mu + lambda/2)(2 a x)^2, integral (mu + lambda/2) 4 a^2 L^3/3 per section.
TEST(SolidLaws, QuadraticTetsAreExactForQuadraticFields) {
    Body body = small_solid(true, 0, 0);
    const double a = 0.3, mu = 5e4 / 2.8, lambda = 5e4 * 0.4 / (1.4 * 0.2);
    auto energy = bound(solid_laws(), "linear", Settings::object(), body);
    for (Index i = 0; i < body.mesh.vertex_count(); ++i)
        body.x[3 * i] += a * body.x[3 * i] * body.x[3 * i];

    const double expected = (mu + lambda / 2) * 4 * a * a * 0.16 * 0.16 * 0.16 / 3 * 0.11 * 0.05;

    EXPECT_NEAR(energy->value(body.x), expected, 1e-12 * expected);
}

TEST(SolidLaws, ViscosityIsThePowerOfTheStrainRate) {
    Body body = small_solid();
    auto energy = bound(solid_laws(), "neo_hookean", options({{"tau", 0.01}}), body);
    const VecX still = force(energy, body.x, VecX::Zero(body.x.size()));
    const MatX D = evaluate(energy, body).D;

    const VecX moving = force(energy, body.x, body.v);
    const VecX spin = rotation(Vec3(1, -2, 0.5), body.x);

    // The viscous force is linear in the velocity, and none for rigid motion.
    EXPECT_LT((moving - still + D * body.v).norm(), 1e-12 * moving.norm());
    EXPECT_LT((D * spin).norm(), 1e-12 * (D.norm() * spin.norm()));
    EXPECT_GT(body.v.dot(D * body.v), 0);
}

TEST(SolidLaws, ACrushedTetLeavesAPointOnlyWithTheLogarithm) {
    // At F = 0 the stiffness of the plain form is mu I, that of the other vanishes: its cubic term
    // pushes out, so a slightly open tet goes on opening.
    std::array<Vec3, 4> x;
    for (std::size_t i = 0; i < 4; ++i)
        x[i] = 0.4 * tet_rest[i];
    const Body body = tet_body(x);
    auto with = bound(solid_laws(), "neo_hookean", reference_material("exact"), body);
    auto without = bound(solid_laws(), "neo_hookean_plain", reference_material("exact"), body);
    const auto opening = [&](std::unique_ptr<Energy>& energy, double scale) {
        VecX small = body.x * scale;
        return force(energy, small, body.v).dot(body.x);
    };

    EXPECT_GT(opening(with, 0.05), 0);
    EXPECT_LT(opening(without, 0.05), 0);
}

TEST(SolidLaws, InspectReportsTetsThatAreInsideOut) {
    Body body = small_solid(false, 0, 0);
    auto energy = bound(solid_laws(), "neo_hookean", Settings::object(), body);
    Diagnostics rest, turned;
    energy->inspect(body.x, rest);

    for (Index i = 0; i < body.mesh.vertex_count(); ++i)
        body.x[3 * i] *= -1;
    energy->inspect(body.x, turned);

    EXPECT_TRUE(rest.empty());
    ASSERT_EQ(turned.size(), 1u);
    EXPECT_NE(turned[0].message.find("36 tets"), std::string::npos);
}

}  // namespace
}  // namespace taffeta::energy::test

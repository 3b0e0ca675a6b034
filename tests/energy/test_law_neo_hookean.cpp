#include "taffeta/energy/law_neo_hookean.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "references.h"

namespace taffeta::energy::test {
namespace {

void expect_element(const std::array<Vec3, 3>& x, const Reference<3>& expected) {
    const Body body = triangle_body(x);
    auto exact = bound(membrane_laws(), "neo_hookean", options({{"psd", "exact"}}), body);
    auto clamped = bound(membrane_laws(), "neo_hookean", Settings::object(), body);

    const Evaluated result = evaluate(exact, body);
    const MatX clamped_K = evaluate(clamped, body).K;

    const double norm = expected.norm;
    EXPECT_NEAR(exact->value(body.x), expected.energy, 1e-10 * expected.energy);
    for (std::size_t i = 0; i < 9; ++i)
        EXPECT_NEAR(result.force[Eigen::Index(i)], expected.force[i / 3][i % 3],
                    1e-10 * result.force.norm());
    EXPECT_NEAR(result.K(0, 0), expected.h00, 1e-10 * norm);
    EXPECT_NEAR(result.K(0, 4), expected.h04, 1e-10 * norm);
    EXPECT_NEAR(result.K(2, 5), expected.h25, 1e-10 * norm);
    EXPECT_NEAR(result.K(1, 8), expected.h1_last, 1e-10 * norm);
    EXPECT_NEAR(result.K.trace(), expected.trace, 1e-10 * norm);
    EXPECT_NEAR(result.K.norm(), expected.norm, 1e-10 * norm);
    EXPECT_NEAR(clamped_K.trace(), expected.clamp_trace, 1e-10 * norm);
    EXPECT_NEAR(clamped_K.norm(), expected.clamp_norm, 1e-10 * norm);
}

TEST(NeoHookean, ReferenceTriangles) {
    expect_element(stretched, neo_hookean_stretched);
    expect_element(compressed, neo_hookean_compressed);
}

/// A 6x6 matrix of the Hessian in the order (u xyz, v xyz).
MatX dense_hessian(const MembraneHessian<double>& H) {
    MatX full(6, 6);
    full << eigen_matrix(H.uu), eigen_matrix(H.uv), eigen_matrix(H.uv).transpose(),
        eigen_matrix(H.vv);
    return full;
}

TEST(NeoHookean, ClampIsThePositivePartOfAnySheet) {
    const NeoHookean law{NeoHookeanOptions{}};
    const std::array<Deformation<double>, 6> states = {{{{1, 0, 0}, {0, 1, 0}},
                                                        {{0.5, 0, 0}, {0, 0.5, 0}},
                                                        {{0.3, 0.1, 0.2}, {0.1, 0.9, -0.3}},
                                                        {{0.9, 0.1, 0.2}, {0.85, 0.15, 0.1}},
                                                        {{0, 0.7, 0}, {0.7, 0, 0}},
                                                        {{1.4, 0, 0.1}, {-0.9, 0.2, 0}}}};
    for (const Deformation<double>& F : states) {
        const MatX exact = dense_hessian(law.hessian(F, PsdRule::exact));
        const MatX kept = dense_hessian(law.hessian(F, PsdRule::clamp));
        const Eigen::SelfAdjointEigenSolver<MatX> eigen(exact);

        const MatX positive = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                              eigen.eigenvectors().transpose();

        EXPECT_LE((kept - positive).norm(), 1e-11 * exact.norm());
    }
}

TEST(NeoHookean, HasTheTangentOfStVenantAndKirchhoffAtRest) {
    const Body body = small_sheet(mesh::Tessellation::irregular, 0, 0);
    auto neo = bound(membrane_laws(), "neo_hookean", Settings::object(), body);
    auto stvk = bound(membrane_laws(), "stvk", Settings::object(), body);

    const MatX K = evaluate(stvk, body).K;

    EXPECT_NEAR(neo->value(body.x), 0, 1e-14);
    EXPECT_LT(evaluate(neo, body).force.norm(), 1e-12);
    EXPECT_LT((evaluate(neo, body).K - K).norm(), 1e-12 * K.norm());
}

TEST(NeoHookean, ItsEnergyGrowsWithoutBoundAsATriangleIsCrushed) {
    Body body = small_sheet(mesh::Tessellation::regular, 0, 0);
    auto energy = bound(membrane_laws(), "neo_hookean", Settings::object(), body);
    double last = energy->value(body.x);
    for (int k = 0; k < 5; ++k) {
        for (Index i = 0; i < body.mesh.vertex_count(); ++i)
            body.x[3 * i] *= 0.1;

        const double value = energy->value(body.x);

        EXPECT_GT(value, last + 0.052 * 8e5 * 3e-4 / 2.6);  // area mu per power of ten, at least
        last = value;
    }
    Diagnostics found;
    energy->inspect(body.x, found);
    EXPECT_EQ(found.size(), 1u);
}

}  // namespace
}  // namespace taffeta::energy::test

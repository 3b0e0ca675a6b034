#include <gtest/gtest.h>

#include "references.h"
#include "taffeta/energy/law_stvk.h"

namespace taffeta::energy::test {
namespace {

void expect_element(const std::array<Vec3, 3>& x, const Reference<3>& expected) {
    const Body body = triangle_body(x);
    auto exact = bound(membrane_laws(), "stvk", options({{"psd", "exact"}}), body);
    auto clamped = bound(membrane_laws(), "stvk", Settings::object(), body);
    auto gauss_newton = bound(membrane_laws(), "stvk", options({{"psd", "gauss_newton"}}), body);

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
    EXPECT_NEAR(evaluate(gauss_newton, body).K.trace(), expected.gauss_newton_trace, 1e-10 * norm);
}

TEST(StVenantKirchhoff, ReferenceTriangles) {
    expect_element(stretched, stvk_stretched);
    expect_element(compressed, stvk_compressed);
}

TEST(StVenantKirchhoff, InspectReportsCollapsingFaces) {
    Body body = small_sheet(mesh::Tessellation::regular, 0, 0);
    auto energy = bound(membrane_laws(), "stvk", Settings::object(), body);
    Diagnostics rest, squeezed;
    energy->inspect(body.x, rest);

    for (Index i = 0; i < body.mesh.vertex_count(); ++i)
        body.x[3 * i] *= 0.55;
    energy->inspect(body.x, squeezed);

    EXPECT_TRUE(rest.empty());
    ASSERT_EQ(squeezed.size(), 1u);
    EXPECT_NE(squeezed[0].message.find("40 faces"), std::string::npos);
    EXPECT_NE(squeezed[0].message.find("face 0"), std::string::npos);
}

}  // namespace
}  // namespace taffeta::energy::test

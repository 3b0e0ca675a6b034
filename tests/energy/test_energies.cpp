#include <gtest/gtest.h>

#include "references.h"

/// Membranes and bending as energies over meshes: what the packs, the scatter and the assembly make
/// of the formulas.
namespace taffeta::energy::test {
namespace {

void expect_element(std::unique_ptr<Energy> energy, const Body& body, double reference_energy,
                    std::span<const std::array<double, 3>> force, double h04, double trace) {
    const Evaluated result = evaluate(energy, body);

    EXPECT_NEAR(energy->value(body.x), reference_energy, 1e-10 * reference_energy);
    for (std::size_t i = 0; i < force.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(result.force[Eigen::Index(3 * i + k)], force[i][k],
                        1e-10 * result.force.norm());
    EXPECT_NEAR(result.K(0, 4), h04, 1e-10 * result.K.norm());
    EXPECT_NEAR(result.K.trace(), trace, 1e-10 * result.K.norm());
}

TEST(Energies, MembraneOfOneTriangle) {
    const Settings exact = options({{"stretch_weft", 2000.0}, {"shear", 0.0}, {"psd", "exact"}});
    const Settings clamped = options({{"stretch_weft", 2000.0}, {"shear", 0.0}});
    const Body body = triangle_body(compressed);
    const Reference<3>& r = stretch_compressed;

    expect_element(bound(membrane_laws(), "baraff_witkin", exact, body), body, r.energy, r.force,
                   r.h04, r.trace);
    auto energy = bound(membrane_laws(), "baraff_witkin", clamped, body);
    EXPECT_NEAR(evaluate(energy, body).K.norm(), r.clamp_norm, 1e-10 * r.clamp_norm);
}

TEST(Energies, HingeOfTwoTriangles) {
    for (const auto& [x, r] : {std::pair(hinge_shallow, bend_shallow), {hinge_deep, bend_deep}}) {
        const Body body = hinge_body(x);

        expect_element(bound(bending_terms(), "hinge", options({{"psd", "exact"}}), body), body,
                       r.energy, r.force, r.h04, r.trace);
        auto clamped = bound(bending_terms(), "hinge", options({{"psd", "clamp"}}), body);
        EXPECT_NEAR(evaluate(clamped, body).K.norm(), r.clamp_norm, 1e-10 * r.norm);
        auto automatic = bound(bending_terms(), "hinge", Settings::object(), body);
        EXPECT_NEAR(evaluate(automatic, body).K.trace(), r.gauss_newton_trace, 1e-10 * r.norm);
    }
}

TEST(Energies, PartsAreNamedAndSumToTheValue) {
    const Body body = small_sheet();
    auto membrane = bound(membrane_laws(), "baraff_witkin", Settings::object(), body);
    auto bending = bound(bending_terms(), "hinge", Settings::object(), body);

    const auto parts = membrane->parts(body.x);

    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].first, "stretch");
    EXPECT_EQ(parts[1].first, "shear");
    EXPECT_DOUBLE_EQ(parts[0].second + parts[1].second, membrane->value(body.x));
    EXPECT_EQ(bending->parts(body.x)[0].first, "bend");
}

TEST(Energies, RotatedRestShapeIsAtRest) {
    Body body = small_sheet(mesh::Tessellation::irregular, 0, 0);
    body.x = rotated(some_rotation(), body.x);
    struct Case {
        Registry<EnergyEntry> registry;
        const char* key;
        double stiffness;
    };
    for (const Case& c :
         {Case{membrane_laws(), "baraff_witkin", 3000}, Case{bending_terms(), "hinge", 1e-5},
          Case{bending_terms(), "plate", 1e-5}}) {
        auto energy = bound(c.registry, c.key, Settings::object(), body);
        const Evaluated result = evaluate(energy, body);

        EXPECT_LT(energy->value(body.x), 1e-25 * c.stiffness) << c.key;
        EXPECT_LT(result.force.norm(), 1e-13 * result.K.norm()) << c.key;
    }
}

TEST(Energies, RestStretchMovesTheRestState) {
    Body body = small_sheet(mesh::Tessellation::irregular, 0, 0);
    auto energy = bound(membrane_laws(), "baraff_witkin",
                        options({{"rest_warp", 1.05}, {"rest_weft", 0.9}}), body);

    for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
        body.x[3 * i] *= 1.05;
        body.x[3 * i + 1] *= 0.9;
    }

    EXPECT_LT(energy->value(body.x), 1e-24);
}

TEST(Energies, RestAnglesMoveTheRestState) {
    Body body = small_sheet();
    for (std::size_t h = 0; h < body.topology.hinge.size(); ++h) {
        const auto& v = body.topology.hinge[h].vertex;
        body.rest.hinge_angle[h] = mesh::hinge_angle(vec3(body.x, v[0]), vec3(body.x, v[1]),
                                                     vec3(body.x, v[2]), vec3(body.x, v[3]));
    }
    for (const char* key : {"hinge", "plate"}) {
        auto energy = bound(bending_terms(), key, Settings::object(), body);

        EXPECT_LT(energy->value(body.x), 1e-30) << key;
    }
}

TEST(Energies, ExactStiffnessTurnsForcesWithTheBody) {
    const Body body = small_sheet();
    const Vec3 w(0.3, -1.1, 0.6);
    for (const auto& [registry, key] : {std::pair(membrane_laws(), "baraff_witkin"),
                                        {bending_terms(), "hinge"},
                                        {bending_terms(), "plate"}}) {
        auto energy = bound(registry, key, options({{"psd", "exact"}}), body);
        const Evaluated result = evaluate(energy, body);

        // K (w x x) = w x dE/dx = - w x f
        const VecX turned = result.K * rotation(w, body.x) + rotation(w, result.force);

        EXPECT_LT(turned.norm(), 1e-12 * result.K.norm() * body.x.norm()) << key;
    }
}

TEST(Energies, GaussNewtonStiffnessIgnoresRotationOfAStressedSheet) {
    const Body body = small_sheet();
    auto energy = bound(membrane_laws(), "baraff_witkin", options({{"psd", "gauss_newton"}}), body);

    const Evaluated result = evaluate(energy, body);

    EXPECT_LT((result.K * rotation(Vec3(0.3, -1.1, 0.6), body.x)).norm(),
              1e-12 * result.K.norm() * body.x.norm());
}

struct Damped {
    Registry<EnergyEntry> registry;
    const char* key;
    Settings with, without;
};

std::vector<Damped> damped_energies() {
    const Settings tau = options({{"tau", 0.02}});
    const Settings none = Settings::object();
    return {{membrane_laws(), "baraff_witkin",
             options({{"tau_stretch", 0.01}, {"tau_shear", 0.03}}), none},
            {bending_terms(), "hinge", tau, none},
            {bending_terms(), "plate", tau, none}};
}

TEST(Damping, IgnoresRigidMotion) {
    Body body = small_sheet();
    body.v = rotation(Vec3(2, -1, 3), body.x);
    for (Index i = 0; i < body.mesh.vertex_count(); ++i)
        vec3(body.v, i) += Vec3(1, 2, -0.5);
    for (const Damped& c : damped_energies()) {
        auto damped = bound(c.registry, c.key, c.with, body);
        auto elastic = bound(c.registry, c.key, c.without, body);

        const Evaluated result = evaluate(damped, body);
        const VecX viscous = result.force - force(elastic, body.x, body.v);

        EXPECT_GT(result.D.norm(), 0) << c.key;
        EXPECT_LT(viscous.norm(), 1e-12 * result.D.norm() * body.v.norm()) << c.key;
        EXPECT_LT((result.D * body.v).norm(), 1e-12 * result.D.norm() * body.v.norm()) << c.key;
    }
}

TEST(Damping, ForceIsMinusDTimesVelocityAndBalanced) {
    const Body body = small_sheet();
    for (const Damped& c : damped_energies()) {
        auto damped = bound(c.registry, c.key, c.with, body);
        auto elastic = bound(c.registry, c.key, c.without, body);

        const Evaluated result = evaluate(damped, body);
        const VecX viscous = result.force - force(elastic, body.x, body.v);

        EXPECT_LT((viscous + result.D * body.v).norm(), 1e-11 * viscous.norm()) << c.key;
        EXPECT_LT(viscous.dot(body.v), 0) << c.key;
        EXPECT_LT(unbalance(body.x, viscous).maxCoeff(), 1e-11) << c.key;
        EXPECT_GE(smallest_eigenvalue(result.D), -1e-12 * largest_eigenvalue(result.D)) << c.key;
    }
}

TEST(Damping, OfAHingeIsTauTimesItsStiffness) {
    const Body body = hinge_body(hinge_shallow);
    auto energy = bound(bending_terms(), "hinge", options({{"tau", 0.25}}), body);

    const Evaluated result = evaluate(energy, body);

    EXPECT_LT((result.D - 0.25 * result.K).norm(), 1e-14 * result.K.norm());
}

TEST(Energies, BodiesMayStartAnywhereInTheWorld) {
    const Body body = small_sheet();
    const Index offset = 17;
    VecX x = VecX::Constant(body.x.size() + 3 * offset, 99.0), v = VecX::Zero(x.size());
    x.tail(body.x.size()) = body.x;
    v.tail(body.v.size()) = body.v;
    for (const auto& [registry, key] : {std::pair(membrane_laws(), "baraff_witkin"),
                                        {bending_terms(), "hinge"},
                                        {bending_terms(), "plate"},
                                        {load_terms(), "gravity"},
                                        {load_terms(), "air"}}) {
        auto here = bound(registry, key, Settings::object(), body);
        auto there = find_entry(registry, "energy", key).make(Settings::object());
        Diagnostics diagnostics;
        there->bind({body.mesh, body.topology, body.rest, body.mass, offset}, diagnostics);

        const Evaluated expected = evaluate(here, body);
        const Evaluated shifted =
            evaluate(std::span(&there, 1), body.mesh.vertex_count() + offset, {0, x, v});

        EXPECT_EQ(shifted.force.tail(body.x.size()), expected.force) << key;
        EXPECT_EQ(shifted.force.head(3 * offset).norm(), 0) << key;
        EXPECT_EQ(shifted.K.bottomRightCorner(body.x.size(), body.x.size()), expected.K) << key;
    }
}

TEST(Energies, RefiningKeepsTheEnergyOfAnAffineMap) {
    // Densities of area: the energy of one deformation does not know the mesh.
    double energies[2];
    for (int level = 0; level < 2; ++level) {
        Body body(mesh::grid(4 << level, 4 << level, 1, 1, mesh::Tessellation::irregular));
        for (Index i = 0; i < body.mesh.vertex_count(); ++i) {
            const Vec3 p = vec3(body.x, i);
            vec3(body.x, i) = Vec3(1.1 * p.x() + 0.2 * p.y(), 0.9 * p.y(), 0.3 * p.x());
        }
        energies[level] =
            bound(membrane_laws(), "baraff_witkin", Settings::object(), body)->value(body.x);
    }

    EXPECT_NEAR(energies[0], energies[1], 1e-12 * energies[0]);
}

}  // namespace
}  // namespace taffeta::energy::test

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>
#include <numbers>

#include "taffeta/energy/assembler.h"
#include "taffeta/ode/integrator.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/energy_audit.h"

/// The consistent mass in whole simulations: every integrator and solver sees it.
namespace taffeta::scene {
namespace {

/// A strip along x that is stretched and let go: one element wide, so that it is a chain.
sim::Simulation stretched_strip(const std::string& mass, const std::string& rest) {
    BuiltScene built = build(load_settings(
        parse_json(fmt::format(R"({{"up_axis": "Z", "gravity": [0, 0, 0], "contact": "none",
          "bodies": [{{"mesh": {{"grid": {{"columns": 8, "rows": 1, "width": 0.5, "height": 0.1}}}},
            "material": "m", "mass": "{}", "pins": [{{"region": "u_min"}}]}}],
          "materials": {{"m": {{"density": 0.15, "membrane": {{"type": "baraff_witkin",
              "stretch_warp": 3000, "stretch_weft": 3000, "shear": 3000}},
            "bending": {{"type": "hinge", "stiffness": 0}}}}}}, {}}})",
                               mass, rest),
                   "test.json")));
    // The first mode: u = e sin(pi x / 2 L)
    for (Index i = 0; i < built.world.vertex_count(); ++i) {
        auto x = vec3(built.world.state.x, i);
        x.x() += 1e-5 * std::sin(std::numbers::pi * x.x() / (2 * 0.5));
    }
    return sim::Simulation(std::move(built.world), std::move(built.tools), built.time);
}

/// Where the free end of the first row is after a time, from the modes of the dense K and M.
double end_by_modes(const sim::World& world, const VecX& rest, double time) {
    const energy::Assembler assembler(world.vertex_count(), world.energies);
    sparse::Matrix3 K(assembler.pattern());
    const VecX still = VecX::Zero(rest.size());
    assembler.evaluate({0, rest, still}, {.stiffness = &K});
    // In the plane, without the held vertices 0 and 9.
    std::vector<Index> row;
    for (Index i = 0; i < world.vertex_count(); ++i)
        if (i != 0 && i != 9) row.push_back(3 * i), row.push_back(3 * i + 1);
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(rest.size(), rest.size()), mass = full;
    const sparse::BlockPattern& pattern = K.pattern();
    for (Index r = 0; r < K.rows(); ++r)
        for (Index s = pattern.row_begin[std::size_t(r)]; s < pattern.row_begin[std::size_t(r) + 1];
             ++s)
            full.block<3, 3>(3 * r, 3 * pattern.column[std::size_t(s)]) = K.block(s);
    for (const mesh::MassEntry& m : world.consistent_mass)
        for (int k = 0; k < 3; ++k)
            mass(3 * m.i + k, 3 * m.j + k) = mass(3 * m.j + k, 3 * m.i + k) = m.mass;
    const Eigen::MatrixXd M = mass(row, row);
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(full(row, row), M);
    const Eigen::VectorXd start = (world.state.x - rest)(row);
    const Eigen::VectorXd turn = (modes.eigenvalues().cwiseMax(0).cwiseSqrt() * time).array().cos();
    const Eigen::VectorXd part = modes.eigenvectors().transpose() * M * start;
    const Eigen::VectorXd end = modes.eigenvectors() * turn.cwiseProduct(part);
    for (std::size_t k = 0; k < row.size(); ++k)
        if (row[k] == 3 * 8) return end[Eigen::Index(k)];
    return 0;
}

TEST(ConsistentMass, FallsAsFastAndKeepsItsMomentum) {
    BuiltScene built = build(load_settings(parse_json(R"({"up_axis": "Z",
      "time": {"step": 0.002, "frames": 1}, "contact": "none",
      "bodies": [{"mesh": {"grid": {"columns": 6, "rows": 5, "tessellation": "irregular"}},
                  "mass": "consistent", "material": "benchmark-cotton"}],
      "solver": {"type": "prefiltered_pcg", "tolerance": 1e-13}})",
                                                      "test.json")));
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);

    for (int k = 1; k <= 20; ++k) {
        ASSERT_TRUE(simulation.step().ok()) << simulation.message();
        const double z = -9.81 * 4e-6 * k * (k + 1) / 2;
        for (Index i = 0; i < simulation.world().vertex_count(); ++i)
            ASSERT_NEAR(vec3(simulation.world().state.x, i).z(), z, 1e-11) << "step " << k;
    }
    const sim::EnergyAudit audit = sim::audit(simulation.world());
    const double speed = 9.81 * 0.04;
    EXPECT_NEAR(audit.kinetic, 0.5 * 0.15 * speed * speed, 1e-8);
    EXPECT_NEAR(audit.momentum.z(), -0.15 * speed, 1e-9);
}

constexpr double quarter_step = 2.5e-6;

sim::Simulation strip_by(const ode::IntegratorEntry& integrator) {
    return stretched_strip("consistent",
                           R"("time": {"step": 2.5e-6, "frames": 1, "retries": 0}, "solver": "ldlt",
                         "integrator": ")" +
                               std::string(integrator.key) + "\"");
}

/// Every integrator for a quarter of a turn, where the position tells the phase: a lumped strip would be late
/// by half of a per cent of its amplitude.
class EveryIntegratorWithConsistentMass
    : public testing::TestWithParam<const ode::IntegratorEntry*> {};

TEST_P(EveryIntegratorWithConsistentMass, MovesTheStripAsItsModeDoes) {
    const int steps = 1414;  // a quarter of a turn
    sim::Simulation simulation = strip_by(*GetParam());
    VecX rest = simulation.world().state.x;
    for (Index i = 0; i < simulation.world().vertex_count(); ++i)
        vec3(rest, i).x() = (i % 9) * 0.5 / 8;
    const double expected = end_by_modes(simulation.world(), rest, quarter_step * steps);

    for (int k = 0; k < steps; ++k)
        ASSERT_TRUE(simulation.step().ok()) << simulation.message();

    EXPECT_NEAR(vec3(simulation.world().state.x, 8).x() - 0.5, expected, 1.5e-8);
}

/// Methods that step springs alone have a diagonal mass.
class EverySpringMethodWithConsistentMass
    : public testing::TestWithParam<const ode::IntegratorEntry*> {};

TEST_P(EverySpringMethodWithConsistentMass, SaysThatItHasNoSprings) {
    sim::Simulation simulation = strip_by(*GetParam());

    EXPECT_FALSE(simulation.step().ok());

    EXPECT_NE(simulation.message().find("spring"), std::string::npos) << simulation.message();
}

std::string integrator_key(const testing::TestParamInfo<const ode::IntegratorEntry*>& test) {
    return std::string(test.param->key);
}

std::vector<const ode::IntegratorEntry*> integrators_of(bool springs_alone) {
    std::vector<const ode::IntegratorEntry*> found;
    for (const ode::IntegratorEntry* entry : ode::integrators())
        if (entry->properties.needs_springs == springs_alone) found.push_back(entry);
    return found;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryIntegratorWithConsistentMass,
                         testing::ValuesIn(integrators_of(false)), integrator_key);
INSTANTIATE_TEST_SUITE_P(Registered, EverySpringMethodWithConsistentMass,
                         testing::ValuesIn(integrators_of(true)), integrator_key);

}  // namespace
}  // namespace taffeta::scene

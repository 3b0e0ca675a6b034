#include <fmt/format.h>
#include <gtest/gtest.h>

#include "taffeta/energy/assembler.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/sim/energy_audit.h"

/// Soft bodies against formulas of beams, known errors of linear tets, and what bodies that fall do.
namespace taffeta::scene {
namespace {

/// Tip of a beam 1 m x 0.1 m x 0.1 m clamped at x = 0 under its weight, E = 1e7 Pa, nu = 0.3,
/// 1000 kg/m^3, for small displacements: w L^4/(8 E I) + w L^2/(2 kappa G A) of Timoshenko
/// with kappa = 5/6.
constexpr double timoshenko_tip = 0.148680;

/// Mean deflection of the end face, m: one linear solve.
double static_tip(int columns, int rows, const char* elements) {
    BuiltScene built = build(
        load_settings(parse_json(fmt::format(
                                     R"({{"up_axis": "Z", "time": {{"step": 0.01, "frames": 1}},
              "bodies": [{{"type": "soft", "elements": "{}", "material": "steelish",
                "mesh": {{"box": {{"columns": {}, "rows": {}, "layers": {}, "size": [1, 0.1, 0.1]}}}},
                "pins": [{{"group": "x_min"}}]}}],
              "materials": {{"steelish": {{"density": 1000,
                "solid": {{"type": "linear", "young": 1e7, "poisson": 0.3}}}}}}}})",
                                     elements, columns, rows, rows),
                                 "test.json")));
    const sim::World& world = built.world;
    const energy::Assembler assembler(world.vertex_count(), world.energies);
    sparse::Matrix3 K(assembler.pattern());
    VecX f, u = VecX::Zero(world.state.x.size());
    assembler.evaluate({0, world.state.x, world.state.v}, {.force = &f, .stiffness = &K});
    sparse::NodeFilter filter(world.vertex_count());
    for (const Index vertex : world.pins[0].vertex)
        filter.fix(vertex);
    const SolveReport report =
        solve::make_linear_solver(Settings::of(std::string("ldlt")))->solve(K, filter, f, u);
    EXPECT_TRUE(report.ok()) << report.message;

    double sum = 0;
    const std::vector<Index>& end = world.bodies[0].tets.group.at("x_max");
    for (const Index vertex : end)
        sum -= vec3(u, vertex).z();
    return sum / double(end.size());
}

TEST(LinearTets, LockAsMuchAsTheyAreKnownTo) {
    const struct {
        int columns, rows;
        double ratio;
    } known[] = {{10, 1, 0.2213}, {10, 2, 0.3522}, {20, 4, 0.6683}, {40, 4, 0.7851}};
    for (const auto& [columns, rows, ratio] : known)
        EXPECT_NEAR(static_tip(columns, rows, "linear") / timoshenko_tip, ratio, 0.01 * ratio)
            << columns << " x " << rows;
}

// A beam whose end face is held altogether is a little stiffer than Timoshenko's, where it may contract.
TEST(QuadraticTets, DoNotLock) {
    EXPECT_NEAR(static_tip(10, 1, "quadratic") / timoshenko_tip, 1, 0.04);
    EXPECT_NEAR(static_tip(10, 2, "quadratic") / timoshenko_tip, 1, 0.03);
    EXPECT_NEAR(static_tip(20, 4, "quadratic") / timoshenko_tip, 1, 0.015);
}

sim::Simulation started(const std::string& name, int vertices,
                        const std::vector<std::string>& overrides = {}) {
    BuiltScene built =
        build(load_settings(builtin_scene(name, {vertices, ""}).settings, overrides));
    return sim::Simulation(std::move(built.world), std::move(built.tools), built.time);
}

double volume(const sim::World& world) {
    mesh::TetMesh now = world.bodies[0].tets;
    double sum = 0;
    for (Index i = 0; i < now.vertex_count(); ++i)
        now.position[std::size_t(i)] = vec3(world.state.x, i);
    for (Index t = 0; t < now.tet_count(); ++t)
        sum += mesh::tet_volume(now, t);
    return sum;
}

TEST(FallingCube, BouncesRestsOnTheFloorAndKeepsItsVolume) {
    sim::Simulation simulation = started("cube", 125);
    const double mass = simulation.world().mass.sum(), start_volume = volume(simulation.world());
    double low = 1, bounced = 0, last_total = sim::audit(simulation.world()).total();
    bool landed = false;
    for (long step = 0; step < simulation.time().steps_until(simulation.time().frames); ++step) {
        ASSERT_TRUE(simulation.step().ok()) << simulation.message();
        const sim::EnergyAudit audit = sim::audit(simulation.world());
        const double height = audit.of("gravity") / (9.81 * mass);
        for (Index i = 0; i < simulation.world().vertex_count(); ++i)
            low = std::min(low, vec3(simulation.world().state.x, i).z());
        landed = landed || height < 0.1;
        if (landed) bounced = std::max(bounced, height);
        // Contact and damping take energy; nothing gives any.
        EXPECT_LT(audit.total(), last_total + 2e-3 * 9.81 * mass * 0.3) << "step " << step;
        last_total = audit.total();
    }
    const sim::EnergyAudit end = sim::audit(simulation.world());

    EXPECT_NEAR(mass, 8, 1e-12);
    EXPECT_GT(low, -1e-3);
    EXPECT_GT(bounced, 0.12);  // its middle, which rests near 0.1 m
    EXPECT_LT(end.kinetic, 0.01 * 9.81 * mass * 0.3);
    EXPECT_NEAR(volume(simulation.world()), start_volume, 0.02 * start_volume);
}

TEST(SwingingBeam, KeepsItsEnergy) {
    sim::Simulation simulation = started("beam", 200, {"time.frames=12"});
    const double start = sim::audit(simulation.world()).total();
    double swing = 0;
    for (long step = 0; step < simulation.time().steps_until(12); ++step) {
        ASSERT_TRUE(simulation.step().ok()) << simulation.message();
        swing = std::max(swing, sim::audit(simulation.world()).of("solid"));
    }

    EXPECT_GT(swing, 5);  // J, in bending
    EXPECT_NEAR(sim::audit(simulation.world()).total(), start, 0.01 * swing);
}

}  // namespace
}  // namespace taffeta::scene

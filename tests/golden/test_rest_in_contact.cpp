#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scene/simulations.h"
#include "taffeta/contact/barrier.h"
#include "taffeta/scene/json.h"
#include "taffeta/sim/quasistatic.h"

/// Equilibria of cloth that lies on obstacles and on cloth, by the barrier.
namespace taffeta::scene {
namespace {

/// A world that is searched outside of a simulation, for the report of the search.
struct ContactProblem {
    BuiltScene scene;
    sim::ClothSystem system;
    std::vector<char> pinned;
    std::vector<double> shortest_edge;
    std::vector<Triangle> faces;
    std::vector<Edge> edges;
    ode::State start;
    sim::QuasistaticOptions options;

    explicit ContactProblem(const Settings& settings)
        : scene(build(load_settings(settings))), system(scene.world, *scene.tools.solver) {
        sim::World& world = scene.world;
        options = *scene.time.quasistatic;
        pinned.assign(std::size_t(world.vertex_count()), 0);
        shortest_edge.assign(std::size_t(world.vertex_count()), INFINITY);
        for (const sim::Body& body : world.bodies) {
            const Index first = body.first_vertex;
            for (const Triangle& f : body.mesh.face)
                faces.push_back({f[0] + first, f[1] + first, f[2] + first});
            for (const Edge& e : body.topology.edge) {
                edges.push_back({e[0] + first, e[1] + first});
                const double length =
                    (vec3(world.state.x, e[0] + first) - vec3(world.state.x, e[1] + first)).norm();
                for (const Index v : e)
                    shortest_edge[std::size_t(v + first)] =
                        std::min(shortest_edge[std::size_t(v + first)], length);
            }
        }
        system.clear_constraints();
        for (const sim::Pin& pin : world.pins)
            for (const Index vertex : pin.vertex) {
                system.filter().fix(vertex);
                pinned[std::size_t(vertex)] = 1;
            }
        start = world.state;
        const contact::Problem problem{start.x,         start.v, world.mass,    0,     1.0 / 24,
                                       world.obstacles, pinned,  shortest_edge, faces, edges};
        scene.tools.contact->before(
            problem, {system.filter(), system.alteration(), system.impulse(), system.repulsion()});
        system.begin_step(1);
        scene.tools.contact->within_step()->drop_friction();
    }
    sim::EquilibriumReport solve() {
        return sim::find_equilibrium(scene.world, system, 0, options, scene.world.state.x,
                                     scene.tools.contact->within_step());
    }
};

/// A sheet over a lying cylinder of radius 8 cm, held along the ridge.
Settings over_a_cylinder() {
    return parse_json(R"({
      "time": {"frame_rate": 24, "frames": 1, "quasistatic": {"tolerance": 1e-7}},
      "gravity": [0, 0, -9.81],
      "solver": "ldlt",
      "contact": {"type": "barrier", "thickness": 0.002, "stiffness": 100},
      "bodies": [{
        "name": "sheet",
        "mesh": {"grid": {"columns": 12, "rows": 6, "width": 0.36, "height": 0.18}},
        "material": "benchmark-cotton",
        "transform": {"translate": [-0.18, -0.09, 0.001]},
        "pins": [{"box": {"min": [-0.001, -1, -1], "max": [0.001, 1, 1]}}]
      }],
      "obstacles": [{"name": "log", "shape": {"type": "cylinder", "center": [0, 0, -0.08], "axis": [0, 1, 0],
                     "radius": 0.08, "height": 0.6}}]
    })",
                      "log");
}

TEST(RestInContact, ASheetHangsOverACylinderWithoutTouchingIt) {
    ContactProblem problem(over_a_cylinder());

    const sim::EquilibriumReport report = problem.solve();

    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_LE(report.gradient, 1e-7);
    EXPECT_LT(report.energy_end, report.energy_start);
    EXPECT_LE(report.largest_rise, 1e-12 * std::abs(report.energy_start));
    const VecX& x = problem.scene.world.state.x;
    EXPECT_TRUE(contact::find_intersections(surfaces_of(problem.scene.world), x).empty());
    int touching = 0;
    double lowest = 0;
    for (Index i = 0; i < problem.scene.world.vertex_count(); ++i) {
        const double gap = std::hypot(x[3 * i], x[3 * i + 2] + 0.08) - 0.08;
        EXPECT_GT(gap, 0) << i;
        touching += gap < 0.002;
        lowest = std::min(lowest, x[3 * i + 2]);
    }
    // The quarter of the round below the ridge holds it; what is beyond hangs down.
    EXPECT_GT(touching, 20);
    EXPECT_LT(lowest, -0.1);
}

TEST(RestInContact, ASquareOnAFloorHoversWhereTheBarrierBearsItsWeight) {
    Settings scene = parse_json(R"({
      "time": {"frame_rate": 24, "frames": 1, "quasistatic": {"tolerance": 1e-10}},
      "gravity": [0, 0, -9.81],
      "solver": "ldlt",
      "contact": {"type": "barrier", "thickness": 0.002, "stiffness": 100},
      "bodies": [{
        "name": "sheet",
        "mesh": {"grid": {"columns": 1, "rows": 1, "width": 0.02, "height": 0.02}},
        "mass": "voronoi",
        "material": "benchmark-cotton",
        "transform": {"translate": [0, 0, 0.0015]}
      }],
      "obstacles": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}]
    })",
                                "floor");
    ContactProblem problem(scene);

    const sim::EquilibriumReport report = problem.solve();

    ASSERT_TRUE(report.ok()) << report.message;
    // Voronoi masses of a square of two triangles are all equal: each corner bears a quarter.
    const double load = 0.15 * 0.0004 / 4 * 9.81;
    for (Index i = 0; i < 4; ++i) {
        const double z = problem.scene.world.state.x[3 * i + 2];
        EXPECT_NEAR((contact::Barrier{0.002, 100}.force(z)) / load, 1, 1e-8);
    }
}

TEST(RestInContact, OneSheetLiesInAnotherThatIsHeldAround) {
    const Settings scene = parse_json(R"({
      "time": {"frame_rate": 24, "frames": 1, "quasistatic": {"tolerance": 1e-7}},
      "gravity": [0, 0, -9.81],
      "solver": "ldlt",
      "contact": {"type": "barrier", "thickness": 0.002, "stiffness": 100},
      "bodies": [
        {"name": "hammock", "mesh": {"grid": {"columns": 8, "rows": 8, "width": 0.2, "height": 0.2}},
         "material": "loose", "pins": [{"region": "boundary"}]},
        {"name": "patch", "mesh": {"grid": {"columns": 4, "rows": 4, "width": 0.07, "height": 0.07}},
         "material": "loose", "transform": {"translate": [0.061, 0.067, 0.003]}}],
      "materials": {"loose": {"density": 0.3,
        "membrane": {"type": "baraff_witkin", "stretch_warp": 40, "stretch_weft": 40, "shear": 20},
        "bending": {"type": "plate", "stiffness": 1e-5}}}
    })",
                                      "hammock");
    ContactProblem problem(scene);

    const sim::EquilibriumReport report = problem.solve();

    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_LE(report.largest_rise, 1e-12 * std::abs(report.energy_start));
    EXPECT_TRUE(
        contact::find_intersections(surfaces_of(problem.scene.world), problem.scene.world.state.x)
            .empty());
    // The middle of the patch is above that of the hammock, within the reach of the barrier.
    const double below = vec3(problem.scene.world.state.x, 40).z();
    const double above = vec3(problem.scene.world.state.x, 81 + 12).z();
    EXPECT_GT(above, below);
    EXPECT_LT(above, below + 0.003);
}

TEST(RestInContact, AnObstacleThatRisesFrameByFrameLiftsTheSheet) {
    Settings scene = over_a_cylinder();
    scene["time"]["frames"] = Settings::of(3.0);
    scene["obstacles"].items()[0]["shape"] =
        parse_json(R"({"type": "sphere", "center": [0.1, 0, -0.09],
        "radius": 0.06, "motion": {"keyframes": [{"time": 0}, {"time": 0.125, "translate": [0, 0, 0.06]}]}})",
                   "");
    scene["bodies"].items()[0]["pins"] = parse_json(R"([{"region": "boundary"}])", "");
    sim::Simulation simulation = simulation_of(scene);
    double before = -1;
    for (int frame = 1; frame <= 3; ++frame) {
        const sim::StepRecord record = simulation.step();

        ASSERT_TRUE(record.ok()) << simulation.message();
        EXPECT_LE(record.integration.newton_residual, 1e-7);
        const double height = -0.09 + 0.06 * frame / 3;
        double highest = -1;
        for (Index i = 0; i < simulation.world().vertex_count(); ++i) {
            const Vec3 p = vec3(simulation.world().state.x, i);
            EXPECT_GT((p - Vec3(0.1, 0, height)).norm(), 0.06) << frame;
            highest = std::max(highest, p.z());
        }
        if (frame == 3) {
            EXPECT_GT(highest, before + 0.01);
        }
        before = highest;
    }
}

TEST(RestInContact, OtherModelsRefuseObstaclesAtRest) {
    for (const char* model : {"pipeline_2015", "constraints_1998", "none"}) {
        Settings scene = over_a_cylinder();
        scene["contact"] = Settings::of(std::string(model));
        try {
            load_settings(scene);
            FAIL() << model << " was accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            EXPECT_NE(std::string(error.what()).find("barrier"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace taffeta::scene

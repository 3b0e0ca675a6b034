#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "scene/simulations.h"
#include "taffeta/scene/json.h"
#include "taffeta/sim/energy_audit.h"

/// Bounds of strain that are kept after every step, in whole scenes.
namespace taffeta::scene {
namespace {

/// A sheet without gravity that spins and flies apart; or one that hangs by its upper edge.
Settings limited_scene(const std::string& type, bool hangs) {
    Settings scene = parse_json(R"({
      "time": {"frame_rate": 25, "frames": 4, "step": 0.004},
      "gravity": [0, 0, 0],
      "contact": "none",
      "bodies": [{
        "name": "sheet",
        "mesh": {"grid": {"columns": 8, "rows": 8, "width": 0.4, "height": 0.4}},
        "material": "soft"
      }],
      "materials": {"soft": {"density": 0.15,
        "membrane": {"type": "baraff_witkin", "stretch_warp": 2, "stretch_weft": 2, "shear": 1},
        "bending": {"type": "hinge", "stiffness": 1e-6},
        "limit": {"type": "?", "max": 1.08, "tolerance": 0.002, "sweeps": 2000}}}
    })",
                                "limited");
    scene["materials"]["soft"]["limit"]["type"] = Settings::of(type);
    if (hangs) {
        scene["gravity"] = parse_json("[0, -9.81, 0]", "");
        scene["bodies"].items()[0]["pins"] = parse_json(R"([{"region": "v_max"}])", "");
    }
    return scene;
}

/// The largest singular value of a deformation gradient, and the longest edge over its rest length.
std::pair<double, double> largest_strains(const sim::World& world) {
    std::pair<double, double> largest = {0, 0};
    const sim::Body& body = world.bodies[0];
    for (std::size_t f = 0; f < body.mesh.face.size(); ++f) {
        Eigen::Matrix2d rest;
        Eigen::Matrix<double, 3, 2> now;
        const auto& uv = body.rest.face_uv[f];
        for (int k = 0; k < 2; ++k) {
            rest.col(k) = uv[std::size_t(k) + 1] - uv[0];
            now.col(k) = vec3(world.state.x, body.mesh.face[f][std::size_t(k) + 1]) -
                         vec3(world.state.x, body.mesh.face[f][0]);
            largest.second = std::max(largest.second, now.col(k).norm() / rest.col(k).norm());
        }
        largest.first =
            std::max(largest.first, (now * rest.inverse()).eval().jacobiSvd().singularValues()[0]);
    }
    return largest;
}

class StrainLimitScene : public testing::TestWithParam<const char*> {};

TEST_P(StrainLimitScene, HoldsAtTheEndOfEveryStep) {
    sim::Simulation simulation = simulation_of(limited_scene(GetParam(), true));
    int sweeps = 0;
    for (int step = 0; step < 60; ++step) {
        const sim::StepRecord record = simulation.step();

        ASSERT_TRUE(record.ok()) << simulation.message();
        ASSERT_LE(record.strain.excess, 0.002);
        sweeps += record.strain.sweeps;
        const auto [stretch, edge] = largest_strains(simulation.world());
        ASSERT_LT(std::string(GetParam()) == "edges" ? edge : stretch, 1.08 + 0.002 + 1e-9);
    }
    EXPECT_GT(sweeps, 60);
}

TEST_P(StrainLimitScene, WithoutItTheSheetIsFarBeyond) {
    Settings scene = limited_scene(GetParam(), true);
    scene["materials"]["soft"]["limit"]["max"] = Settings::of(50.0);
    sim::Simulation simulation = simulation_of(scene);

    for (int step = 0; step < 60; ++step)
        ASSERT_TRUE(simulation.step().ok());

    EXPECT_GT(largest_strains(simulation.world()).first, 1.3);
}

TEST_P(StrainLimitScene, AFreeSheetKeepsItsMomenta) {
    // Implicit Euler loses angular momentum; the explicit method keeps it, and so does the limit.
    Settings scene = limited_scene(GetParam(), false);
    scene["integrator"] = Settings::of(std::string("symplectic_euler_a"));
    BuiltScene built = build(load_settings(scene));
    for (Index i = 0; i < built.world.vertex_count(); ++i) {
        const Vec3 p = vec3(built.world.state.x, i);
        vec3(built.world.state.v, i) =
            Vec3(0.3, -0.2, 0.1) + Vec3(0, 0, 20).cross(Vec3(p - Vec3(0.2, 0.2, 0)));
    }
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    const sim::EnergyAudit start = sim::audit(simulation.world());
    int sweeps = 0;

    for (int step = 0; step < 20; ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        sweeps += record.strain.sweeps;
    }

    const sim::EnergyAudit end = sim::audit(simulation.world());
    EXPECT_GT(sweeps, 0);
    EXPECT_LT((end.momentum - start.momentum).norm(), 1e-12 * start.momentum.norm());
    EXPECT_LT((end.angular_momentum - start.angular_momentum).norm(),
              1e-12 * start.angular_momentum.norm());
}

TEST_P(StrainLimitScene, IsRefusedWhereNothingMayMoveAfterTheStep) {
    const auto failure = [](const Settings& scene) -> std::string {
        try {
            build(load_settings(scene));
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    };
    Settings barrier = limited_scene(GetParam(), true), still = barrier;
    barrier["contact"] = Settings::of(std::string("barrier"));
    still["time"]["quasistatic"] = Settings::object();
    still["time"].erase("step");

    EXPECT_NE(failure(barrier).find("could cross what 'barrier' keeps apart"), std::string::npos)
        << failure(barrier);
    EXPECT_NE(failure(still).find("acts after steps"), std::string::npos) << failure(still);
}

INSTANTIATE_TEST_SUITE_P(Each, StrainLimitScene, testing::Values("edges", "triangles"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace taffeta::scene

#include <gtest/gtest.h>

#include "scene/simulations.h"
#include "taffeta/scene/json.h"
#include "taffeta/sim/energy_audit.h"

// A strip that is dragged over a rough floor by one end: Coulomb's law holds each vertex with mu m g, so that the
// tension rises along it from 0 to mu M g, however slowly it goes and however stiff it is.
namespace taffeta::scene {
namespace {

constexpr double length = 0.5, width = 0.1, density = 0.15, stretch = 3000, friction = 0.3;

constexpr double most_tension = friction * density * length * width * 9.81;
constexpr double full_stretch = most_tension * most_tension * length / (6 * stretch * width);  // J

/// By its end at u = 0, at that speed until `stop`.
Settings dragged(double speed, double stop) {
    Settings scene = parse_json(R"({
      "up_axis": "Z",
      "time": {"frame_rate": 25, "frames": 100, "step": 0.002},
      "contact": {"type": "pipeline_2015", "thickness": 0.001},
      "bodies": [{
        "name": "strip",
        "mesh": {"grid": {"columns": 50, "rows": 10, "width": 0.5, "height": 0.1}},
        "material": "benchmark-cotton",
        "transform": {"translate": [0, 0, 0.001]},
        "pins": [{"region": "u_min", "motion": {"keyframes": [{"time": 0}]}}]
      }],
      "obstacles": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]},
                     "friction": 0.3}]
    })",
                                "strip");
    Settings& keyframes = scene["bodies"].items()[0]["pins"].items()[0]["motion"]["keyframes"];
    for (const double time : {stop, 2 * stop}) {
        Settings key = parse_json(R"({"translate": [0, 0, 0]})", "");
        key["time"] = Settings::of(time);
        key["translate"].items()[0] = Settings::of(-stop * speed);
        keyframes.items().push_back(key);
    }
    return scene;
}

class DraggedStrip : public testing::TestWithParam<double> {};

TEST_P(DraggedStrip, FeelsCoulombsFriction) {
    sim::Simulation simulation = simulation_of(dragged(GetParam(), 1000));

    for (int step = 0; step < 600; ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        if (step < 500) continue;
        ASSERT_NEAR(sim::audit(simulation.world()).of("stretch") / full_stretch, 1, 0.02) << step;
    }
}

/// Friction that holds is no spring and no drag: what stops stays where it is, and stays stretched.
TEST_P(DraggedStrip, StopsAtOnceWithItsTension) {
    sim::Simulation simulation = simulation_of(dragged(GetParam(), 1));
    sim::StepRecord record;
    for (int step = 0; step < 700; ++step) {
        record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
    }

    const sim::EnergyAudit audit = sim::audit(simulation.world());
    EXPECT_LT(audit.kinetic, 1e-20);
    EXPECT_EQ(record.contact.sliding, 0);
    EXPECT_GT(audit.of("stretch"), 0.2 * full_stretch);
    EXPECT_LT(audit.of("stretch"), full_stretch);
}

INSTANTIATE_TEST_SUITE_P(Speeds, DraggedStrip, testing::Values(0.0003, 0.003, 0.1));

}  // namespace
}  // namespace taffeta::scene

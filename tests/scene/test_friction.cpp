#include <gtest/gtest.h>

#include <cmath>

#include "scene/simulations.h"
#include "taffeta/scene/json.h"
#include "taffeta/sim/energy_audit.h"

// A strip that is dragged over a rough floor by one end: Coulomb's law holds each vertex with mu m g, so that the
// tension rises along it from 0 to mu M g, however slowly it goes and however stiff it is.
namespace taffeta::scene {
namespace {

constexpr double length = 0.5, width = 0.1, density = 0.15, stretch = 3000, friction = 0.3;

Settings dragged(double speed) {
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
    Settings away = parse_json(R"({"time": 1000, "translate": [0, 0, 0]})", "");
    away["translate"].items()[0] = Settings::of(-1000 * speed);
    scene["bodies"].items()[0]["pins"].items()[0]["motion"]["keyframes"].items().push_back(away);
    return scene;
}

class DraggedStrip : public testing::TestWithParam<double> {};

TEST_P(DraggedStrip, FeelsCoulombsFriction) {
    sim::Simulation simulation = simulation_of(dragged(GetParam()));
    const double most = friction * density * length * width * 9.81;
    const double expected = most * most * length / (6 * stretch * width);  // of tension, J

    for (int step = 0; step < 600; ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        if (step < 500) continue;
        ASSERT_NEAR(sim::audit(simulation.world()).of("stretch") / expected, 1, 0.02) << step;
    }
}

INSTANTIATE_TEST_SUITE_P(Speeds, DraggedStrip, testing::Values(0.0003, 0.003, 0.1));

}  // namespace
}  // namespace taffeta::scene

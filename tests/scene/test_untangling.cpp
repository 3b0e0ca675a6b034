#include <gtest/gtest.h>

#include "scene/simulations.h"
#include "taffeta/scene/json.h"

// Cloth that intersects comes apart, gently, when the scene says so.
namespace taffeta::scene {
namespace {

/// A sheet that dips through another one in its middle, without gravity; the outer rims are apart.
Settings dip_scene(const char* start) {
    Settings scene = parse_json(R"({
      "time": {"frame_rate": 25, "frames": 20, "step": 0.004},
      "gravity": [0, 0, 0],
      "contact": {"type": "pipeline_2015", "thickness": 0.002, "self": {"thickness": 0.002}},
      "bodies": [
        {"name": "lower", "mesh": {"grid": {"columns": 16, "rows": 16, "width": 0.4, "height": 0.4}},
         "material": "benchmark-cotton"},
        {"name": "upper", "mesh": {"grid": {"columns": 14, "rows": 14, "width": 0.4, "height": 0.4}},
         "material": "benchmark-cotton", "transform": {"translate": [0.003, 0.002, 0.006]},
         "initial": {"displacement": {"amplitude": [0, 0, 0.012], "frequency": [15.7, 15.7]}}}
      ]
    })",
                                "dip");
    scene["contact"]["start"] = Settings::of(std::string(start));
    return scene;
}

TEST(UntanglingScene, ASheetThatDipsThroughAnotherComesOut) {
    sim::Simulation simulation = simulation_of(dip_scene("untangle"));
    const contact::Surfaces surfaces = surfaces_of(simulation.world());
    const std::size_t before =
        contact::find_intersections(surfaces, simulation.world().state.x).size();
    ASSERT_GT(before, 20U);
    double speed = 0;
    Index reported = 0;

    for (int step = 0; step < 200; ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        reported = std::max(reported, record.contact.touching);
        speed = std::max(speed, fastest(simulation.world()));
    }

    EXPECT_EQ(reported, Index(before));
    EXPECT_EQ(contact::find_intersections(surfaces, simulation.world().state.x).size(), 0U);
    EXPECT_LT(speed, 2);  // no explosion: waves of the cloth go at 30 m/s and more
}

TEST(UntanglingScene, ATangledStartIsRefusedWithoutTheOption) {
    EXPECT_THROW(build(load_settings(dip_scene("refuse"))), Error);
}

/// A sheet between two held plates, one of which moves through the other and back.
Settings pinch_scene(const char* pinched) {
    Settings scene = parse_json(R"({
      "time": {"frame_rate": 25, "frames": 20, "step": 0.004, "retries": 2},
      "gravity": [0, 0, -9.81],
      "contact": {"type": "pipeline_2015", "thickness": 0.002, "self": {"thickness": 0.002}},
      "bodies": [
        {"name": "sheet", "mesh": {"grid": {"columns": 12, "rows": 12, "width": 0.3, "height": 0.3}},
         "material": "benchmark-cotton", "transform": {"translate": [0, 0, 0.004]}},
        {"name": "lower", "mesh": {"grid": {"columns": 9, "rows": 9, "width": 0.5, "height": 0.5}},
         "material": "benchmark-cotton", "transform": {"translate": [-0.1, -0.1, 0]},
         "pins": [{"box": {"min": [-1, -1, -1], "max": [1, 1, 1]}}]},
        {"name": "upper", "mesh": {"grid": {"columns": 3, "rows": 3, "width": 0.1, "height": 0.1}},
         "material": "benchmark-cotton", "transform": {"translate": [0.11, 0.12, 0.03], "rotate": [10, 0, 0]},
         "pins": [{"box": {"min": [-1, -1, -1], "max": [1, 1, 1]},
           "motion": {"keyframes": [{"time": 0}, {"time": 0.2, "translate": [0, 0, -0.04]},
                                    {"time": 0.4, "translate": [0, 0, 0.05]}]}}]}
      ]
    })",
                                "pinch");
    scene["contact"]["pinched"] = Settings::of(std::string(pinched));
    return scene;
}

TEST(UntanglingScene, PinchedClothStopsTheRunByName) {
    sim::Simulation simulation = simulation_of(pinch_scene("stop"));

    ASSERT_EQ(simulation.advance(20), sim::RunStatus::failed);

    EXPECT_NE(simulation.message().find("infeasible motion at"), std::string::npos)
        << simulation.message();
}

TEST(UntanglingScene, OrCrossesAndComesOutWhenThereIsRoom) {
    sim::Simulation simulation = simulation_of(pinch_scene("untangle"));
    const contact::Surfaces surfaces = surfaces_of(simulation.world());
    Index pinched = 0;
    double speed = 0;

    for (int step = 0; step < 200; ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        pinched += record.contact.pinched;
        speed = std::max(speed, fastest(simulation.world()));
        if (step == 199) {
            EXPECT_EQ(record.contact.touching, 0);
        }
    }

    EXPECT_GT(pinched, 0);
    EXPECT_LT(speed, 5);
    EXPECT_TRUE(contact::find_intersections(surfaces, simulation.world().state.x).empty());
}

}  // namespace
}  // namespace taffeta::scene

#include <gtest/gtest.h>

#include "scene/simulations.h"
#include "taffeta/base/parallel.h"
#include "taffeta/scene/json.h"

// Whole scenes with the contact model `barrier`.
namespace taffeta::scene {
namespace {

Settings fold_scene() {
    return parse_json(R"({
      "time": {"frame_rate": 25, "frames": 10, "step": 0.004},
      "gravity": [0, 0, -9.81],
      "contact": {"model": "barrier", "thickness": 0.002},
      "bodies": [{
        "name": "sheet",
        "mesh": {"grid": {"columns": 9, "rows": 9, "width": 0.5, "height": 0.5}},
        "material": "benchmark-cotton",
        "transform": {"rotate": [90, 0, 0], "translate": [0, 0, 0.01]},
        "initial": {"displacement": {"amplitude": [0, 0.003, 0], "frequency": [14, 10]}}
      }],
      "obstacles": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}]
    })",
                      "fold");
}

TEST(BarrierScene, NoStateOfAFoldingSheetCrossesAnything) {
    sim::Simulation simulation = simulation_of(fold_scene());
    const contact::Surfaces surfaces = surfaces_of(simulation.world());
    Index springs = 0;
    for (int step = 0; step < 100; ++step) {
        const sim::StepRecord record = simulation.step();

        ASSERT_TRUE(record.ok()) << simulation.message();
        ASSERT_EQ(record.pieces, 1);
        springs = std::max(springs, record.contact.springs);
        const VecX& x = simulation.world().state.x;
        ASSERT_TRUE(contact::find_intersections(surfaces, x).empty()) << step;
        for (Index i = 0; i < simulation.world().vertex_count(); ++i)
            ASSERT_GT(vec3(x, i).z(), 0) << step;
    }
    EXPECT_GT(springs, 20);
}

TEST(BarrierScene, SameBitsForAnyNumberOfThreadsAndAfterAResume) {
    set_thread_count(1);
    sim::Simulation reference = simulation_of(fold_scene());
    ASSERT_EQ(reference.advance(8), sim::RunStatus::done) << reference.message();
    for (const int threads : {2, 4}) {
        set_thread_count(threads);
        sim::Simulation first = simulation_of(fold_scene());
        ASSERT_EQ(first.advance(6), sim::RunStatus::done);
        sim::Simulation second = simulation_of(fold_scene());

        second.load(first.save());
        ASSERT_EQ(second.advance(8), sim::RunStatus::done);

        EXPECT_EQ(second.world().state.x, reference.world().state.x) << threads;
        EXPECT_EQ(second.world().state.v, reference.world().state.v) << threads;
    }
    set_thread_count(0);
}

TEST(BarrierScene, AStartInsideAnObstacleIsRefusedByName) {
    Settings scene = fold_scene();
    scene["bodies"].items()[0]["transform"]["translate"] = parse_json("[0, 0, -0.1]", "");

    try {
        build(load_settings(scene));
        FAIL() << "a sheet in the floor was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_NE(error.message().find("vertex 0 of 'sheet' starts 0.1 m inside 'floor'"),
                  std::string::npos)
            << error.message();
    }
}

/// A small patch on a floor that a plate presses down on, as far as `depth` above the floor.
Settings press_scene(double depth) {
    Settings scene = parse_json(R"({
      "time": {"frame_rate": 25, "frames": 2, "step": 0.004, "retries": 2},
      "gravity": [0, 0, -9.81],
      "contact": {"type": "barrier", "thickness": 0.002, "max_iterations": 60},
      "bodies": [{
        "name": "sheet",
        "mesh": {"grid": {"columns": 4, "rows": 4, "width": 0.2, "height": 0.2}},
        "material": "benchmark-cotton",
        "transform": {"translate": [0, 0, 0.004]}
      }],
      "obstacles": [
        {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}},
        {"name": "press", "shape": {"type": "frame", "center": [0.1, 0.1, 0.06], "half_size": [0.3, 0.3, 0.05],
          "hole": [0.01, 0.01], "rounding": 0.001,
          "motion": {"keyframes": [{"time": 0}, {"time": 0.04, "translate": [0, 0, 0]}]}}}]
    })",
                                "press");
    scene["obstacles"].items()[1]["shape"]["motion"]["keyframes"].items()[1]["translate"] =
        parse_json("[0, 0, " + std::to_string(depth - 0.01) + "]", "");
    return scene;
}

TEST(BarrierScene, ClothMakesWayForAnObstacleThatLeavesItRoom) {
    sim::Simulation simulation = simulation_of(press_scene(0.003));

    ASSERT_EQ(simulation.advance(2), sim::RunStatus::done) << simulation.message();

    for (Index i = 0; i < simulation.world().vertex_count(); ++i) {
        EXPECT_GT(vec3(simulation.world().state.x, i).z(), 0);
        EXPECT_LT(vec3(simulation.world().state.x, i).z(), 0.003);
    }
}

TEST(BarrierScene, AnObstacleThatLeavesNoRoomIsAFailureWithASentence) {
    sim::Simulation simulation = simulation_of(press_scene(-0.001));

    ASSERT_EQ(simulation.advance(2), sim::RunStatus::failed);

    EXPECT_NE(simulation.message().find("infeasible motion at vertex"), std::string::npos)
        << simulation.message();
    for (Index i = 0; i < simulation.world().vertex_count(); ++i)
        EXPECT_GT(vec3(simulation.world().state.x, i).z(), 0);
}

TEST(BarrierScene, AnotherIntegratorIsRefused) {
    Settings scene = fold_scene();
    scene["integrator"] = Settings::of(std::string("bdf2"));

    try {
        build(load_settings(scene));
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_NE(error.message().find("steps by backward Euler, not by bdf2"), std::string::npos)
            << error.message();
    }
}

/// tan 26.57 degrees is 0.5: a rigid-like patch slides with less friction, and stays with more.
double slide(double friction) {
    Settings scene = parse_json(R"({
      "time": {"frame_rate": 25, "frames": 10, "step": 0.004},
      "gravity": [4.38754, 0, -8.77414],
      "contact": {"type": "barrier", "thickness": 0.002, "slip_velocity": 1e-4, "tolerance": 1e-5},
      "bodies": [{
        "name": "patch",
        "mesh": {"grid": {"columns": 4, "rows": 4, "width": 0.1, "height": 0.1}},
        "material": "benchmark-cotton",
        "transform": {"translate": [0, 0, 0.001977]}
      }],
      "obstacles": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}]
    })",
                                "slide");
    scene["obstacles"].items()[0]["friction"] = Settings::of(friction);
    sim::Simulation simulation = simulation_of(scene);
    EXPECT_EQ(simulation.advance(10), sim::RunStatus::done) << simulation.message();
    double mean = 0;
    for (Index i = 0; i < simulation.world().vertex_count(); ++i)
        mean += vec3(simulation.world().state.v, i).x() / simulation.world().vertex_count();
    return mean;
}

TEST(BarrierScene, FrictionHoldsAboveTheSlopeAndSlidesBelowIt) {
    EXPECT_LT(slide(0.51), 1e-4);
    EXPECT_GT(slide(0.45), 0.05);
}

}  // namespace
}  // namespace taffeta::scene

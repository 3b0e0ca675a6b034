#include <gtest/gtest.h>

#include "scene/simulations.h"
#include "taffeta/base/parallel.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"

// A sheet that folds onto itself on the floor: nothing crosses, judged by the audit on the doubles of
// every step; and the same bits for any number of threads and after a resume.
namespace taffeta::scene {
namespace {

constexpr const char* fold_text = R"({
  "time": {"frame_rate": 25, "frames": 12, "step": 0.004},
  "gravity": [0, 0, -9.81],
  "integrator": {"type": "linearised_backward_euler"},
  "contact": {"type": "pipeline_2015", "thickness": 0.002, "self": {"thickness": 0.002, "stiffness": 20}},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 14, "rows": 14, "width": 0.5, "height": 0.5}},
    "material": "benchmark-cotton",
    "transform": {"rotate": [90, 0, 0], "translate": [0, 0, 0.01]},
    "initial": {"displacement": {"amplitude": [0, 0.003, 0], "frequency": [14, 10]}}
  }],
  "obstacles": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}]
})";

sim::Simulation make_fold() {
    return simulation_of(parse_json(fold_text, "fold"));
}

TEST(SelfContact, NoStepOfAFoldingSheetCrosses) {
    sim::Simulation simulation = make_fold();
    const contact::Surfaces surfaces = surfaces_of(simulation.world());
    Index springs = 0, impacts = 0;
    for (int step = 0; step < 120; ++step) {
        const VecX before = simulation.world().state.x;

        const sim::StepRecord record = simulation.step();

        ASSERT_TRUE(record.ok()) << simulation.message();
        springs = std::max(springs, record.contact.springs);
        impacts += record.contact.impacts;
        if (record.pieces > 1) continue;
        ASSERT_TRUE(contact::find_crossings(surfaces, before, simulation.world().state.x).empty())
            << "step " << step;
    }
    // The test is about something.
    EXPECT_GT(springs, 10);
    EXPECT_GT(impacts, 10);
}

TEST(SelfContact, SameBitsForAnyNumberOfThreadsAndAfterAResume) {
    set_thread_count(1);
    sim::Simulation reference = make_fold();
    ASSERT_EQ(reference.advance(12), sim::RunStatus::done) << reference.message();
    for (const int threads : {2, 4}) {
        set_thread_count(threads);
        sim::Simulation first = make_fold();
        ASSERT_EQ(first.advance(9), sim::RunStatus::done);
        sim::Simulation second = make_fold();

        second.load(first.save());
        ASSERT_EQ(second.advance(12), sim::RunStatus::done);

        EXPECT_EQ(second.world().state.x, reference.world().state.x) << threads;
        EXPECT_EQ(second.world().state.v, reference.world().state.v) << threads;
    }
    set_thread_count(0);
}

TEST(SelfContact, AStartWithIntersectionsIsRefusedByName) {
    Settings text = parse_json(fold_text, "fold");
    Settings second = text["bodies"].items()[0];
    second["name"] = Settings::of(std::string("other"));
    second["transform"]["rotate"] = parse_json("[0, 0, 0]", "");
    second["transform"]["translate"] = parse_json("[0.003, -0.25, 0.251]", "");
    text["bodies"].items().push_back(second);

    try {
        build(load_settings(text));
        FAIL() << "two sheets that cross were accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_NE(error.message().find("intersect at the start"), std::string::npos);
        EXPECT_NE(error.message().find("of 'other'"), std::string::npos) << error.message();
    }

    text["contact"]["start"] = Settings::of(std::string("tolerate"));
    BuiltScene built = build(load_settings(text));
    sim::Simulation simulation(std::move(built.world), std::move(built.tools), built.time);
    const sim::StepRecord record = simulation.step();
    EXPECT_TRUE(record.ok()) << simulation.message();
}

}  // namespace
}  // namespace taffeta::scene

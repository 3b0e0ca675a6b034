#include <gtest/gtest.h>

#include <cmath>

#include "scene/simulations.h"
#include "taffeta/mesh/generators.h"
#include "taffeta/scene/json.h"

// Cloth between two parts of one body that pass into each other, as an arm does into a side.
namespace taffeta::scene {
namespace {

enum class Jaw { block, ball };

/// Two blocks, or balls, that face each other along x and are `gap` apart; less than 0: they overlap.
///
///     +-----+         +-----+
///     |     |  | | |  |     |     sheets hang between them
///     +-----+         +-----+
mesh::TriMesh jaws(double gap, Jaw jaw) {
    mesh::TriMesh both;
    for (const double side : {-1.0, 1.0}) {
        const mesh::TriMesh block =
            jaw == Jaw::block ? mesh::box(Vec3(0.05, 0.04, 0.03)) : mesh::icosphere(0.05, 3);
        const Index first = both.vertex_count();
        for (const Vec3& p : block.position)
            both.position.push_back(p + Vec3(side * (0.05 + gap / 2), 0, 0));
        for (const Triangle& face : block.face)
            both.face.push_back({face[0] + first, face[1] + first, face[2] + first});
    }
    return both;
}

/// Closes for 0.2 s, passes into itself by 2 cm, and opens again within 0.2 s.
contact::PlacedObstacle biting_jaws(Jaw jaw) {
    contact::SurfaceFrames frames;
    frames.mesh = jaws(0.06, jaw);
    frames.frame_rate = 5;
    for (const double gap : {0.06, -0.02, 0.1}) {
        const mesh::TriMesh mesh = jaws(gap, jaw);
        VecX x(3 * mesh.vertex_count());
        for (Index i = 0; i < mesh.vertex_count(); ++i)
            vec3(x, i) = mesh.position[std::size_t(i)];
        frames.frame.push_back(x);
    }
    Settings options = Settings::object();
    options["file"] = Settings::of(std::string("jaws"));
    auto shape = find_entry(contact::obstacles(), "obstacle", "animation").make(options);
    Diagnostics diagnostics;
    shape->set_frames(std::move(frames), diagnostics);
    return {"jaws", std::move(shape), 0.3};
}

/// Two sheets that hang from their upper rims, 6 mm apart, between the jaws.
BuiltScene hanging_sheets(const char* pinched, Jaw jaw) {
    Settings scene = parse_json(R"({
      "time": {"frame_rate": 25, "frames": 20, "step": 0.004, "retries": 2},
      "gravity": [0, -9.81, 0],
      "contact": {"type": "pipeline_2015", "thickness": 0.001, "self": {"thickness": 0.001}},
      "bodies": [
        {"name": "left", "mesh": {"grid": {"columns": 14, "rows": 14, "width": 0.2, "height": 0.2}},
         "material": "benchmark-cotton",
         "transform": {"rotate": [0, 90, 0], "translate": [-0.003, -0.1, 0.1]},
         "pins": [{"box": {"min": [-1, 0.099, -1], "max": [1, 0.101, 1]}}]},
        {"name": "right", "mesh": {"grid": {"columns": 12, "rows": 12, "width": 0.2, "height": 0.2}},
         "material": "benchmark-cotton",
         "transform": {"rotate": [0, 90, 0], "translate": [0.003, -0.1, 0.1]},
         "pins": [{"box": {"min": [-1, 0.099, -1], "max": [1, 0.101, 1]}}]}
      ]
    })",
                                "bite");
    scene["contact"]["pinched"] = Settings::of(std::string(pinched));
    BuiltScene built = build(load_settings(scene));
    built.world.obstacles.push_back(biting_jaws(jaw));
    return built;
}

sim::Simulation bitten_sheets(const char* pinched) {
    BuiltScene built = hanging_sheets(pinched, Jaw::block);
    return {std::move(built.world), std::move(built.tools), built.time};
}

/// Two sheets, turned so that a corner of each points down and ends where the balls will meet.
sim::Simulation bitten_corners() {
    BuiltScene built = hanging_sheets("untangle", Jaw::ball);
    const double half = 0.1, cosine = std::sqrt(0.5);
    VecX& x = built.world.state.x;
    for (Index i = 0; i < built.world.vertex_count(); ++i) {
        const double y = x[3 * i + 1], z = x[3 * i + 2];
        x[3 * i + 1] = cosine * (y - z) + half / cosine;
        x[3 * i + 2] = cosine * (y + z);
    }
    return {std::move(built.world), std::move(built.tools), built.time};
}

TEST(PinchingBody, StopsTheRunByNameUnlessToldOtherwise) {
    sim::Simulation simulation = bitten_sheets("stop");

    ASSERT_EQ(simulation.advance(20), sim::RunStatus::failed);

    EXPECT_NE(simulation.message().find("infeasible motion at"), std::string::npos)
        << simulation.message();
}

TEST(PinchingBody, LetsGoOfTheClothWhichDoesNotCrossItself) {
    sim::Simulation simulation = bitten_sheets("untangle");
    const contact::Surfaces surfaces = surfaces_of(simulation.world());
    std::size_t most = 0;
    Index tangled = 0;
    double speed = 0;

    for (int step = 0; step < 200; ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        const sim::World& world = simulation.world();
        // The sheets themselves never cross: nothing but the body leaves them no room.
        ASSERT_TRUE(contact::find_intersections(surfaces, world.state.x).empty()) << step;
        most = std::max(most, intersections(world));
        tangled = std::max(tangled, record.contact.tangled);
        speed = std::max(speed, fastest(world));
    }

    EXPECT_GT(most, 0u);  // the blocks overlap with the sheets between them
    EXPECT_EQ(tangled, Index(most));
    EXPECT_EQ(intersections(simulation.world()), 0u);
    EXPECT_LT(speed, 5);  // the blocks go at 0.2 and 0.3 m/s
}

/// What leaves no room in a step leaves it in space: the tips slip out before the step is over.
TEST(PinchingBody, TipsSlipOutInTheStepThatPinchesThem) {
    sim::Simulation simulation = bitten_corners();
    Index pinched = 0;
    double speed = 0;

    for (int step = 0; step < 200; ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        const sim::World& world = simulation.world();
        ASSERT_EQ(intersections(world), 0u) << step;
        EXPECT_EQ(record.contact.tangled, 0);
        pinched += record.contact.pinched;
        speed = std::max(speed, fastest(world));
    }

    EXPECT_GT(pinched, 0);
    EXPECT_LT(speed, 5);
}

}  // namespace
}  // namespace taffeta::scene

#include <gtest/gtest.h>

#include "taffeta/scene/build.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"

namespace taffeta::scene {
namespace {

Scene scene_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return load_settings(parse_json(text, "a.json"), overrides);
}

const char* rich = R"({
  // everything that a scene can state
  "name": "rich",
  "up_axis": "Z",
  "time": {"frame_rate": 30, "frames": 3, "substeps": 4},
  "gravity": [0, 0.1, -9.7],
  "air": {"density": 1.1, "wind": {"velocity": [1, 2, 3], "gusts": [{"frequency": 0.5}]}},
  "integrator": "backward_euler",
  "newton": {"tolerance": 1e-6},
  "solver": {"preconditioner": "jacobi"},
  "contact": {"type": "none"},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 4, "rows": 3, "tessellation": "alternating"}},
    "rest": {"from": "mesh", "keep_angles": false},
    "material": "stiff",
    "transform": {"translate": [0, 0, 1], "rotate": [0, 0, 90], "scale": 2},
    "pins": [
      {"region": "u_min", "motion": {"keyframes": [{"time": 0}, {"time": 1, "translate": [0, 0, 0.1]}]}},
      {"sphere": {"center": [0, 2, 1], "radius": 0.01}, "release_time": 0.5}
    ],
    "initial": {"velocity": [0, 0, -1], "displacement": {"amplitude": [0, 0, 0.01]}},
    "color": [1, 0, 0]
  }],
  "materials": {"stiff": {"preset": "paper", "density": 0.2, "membrane": {"shear": 7}}},
  "obstacles": [{"shape": {"type": "box", "center": [0, 0, -3]}, "friction": 0.7}],
  "output": {"formats": ["obj", "pc2"], "every": 2}
})";

TEST(Scene, FullTextReadsBackAsTheSameDescription) {
    const Scene scene = scene_of(rich);

    const std::string full = write_json(write_scene(scene.description));
    const Scene again = scene_of(full);

    EXPECT_EQ(write_json(write_scene(again.description)), full);
    EXPECT_EQ(scene_hash(again), scene_hash(scene));
    EXPECT_EQ(again.description.bodies[0].pins.at(1).release_time, 0.5);
    EXPECT_EQ(again.description.air->value.find("density")->number(), 1.1);
}

TEST(Scene, FullTextOfEveryBuiltinReadsBack) {
    for (const std::string& name : builtin_names()) {
        const Scene scene = load_scene(name);

        const std::string full = write_json(write_scene(scene.description));
        const Scene again = scene_of(full);

        EXPECT_EQ(write_json(write_scene(again.description)), full) << name;
        EXPECT_EQ(scene_hash(again), scene_hash(scene)) << name;
    }
}

TEST(Scene, PresetsAreOverriddenKeyByKey) {
    const MaterialDescription material = scene_of(rich).description.materials.at("stiff");

    EXPECT_EQ(material.density, 0.2);
    EXPECT_EQ(material.membrane.value.find("shear")->number(), 7);
    EXPECT_EQ(material.membrane.value.find("stretch_warp")->number(), 1e6);
    EXPECT_EQ(material.bending.value.find("warp")->number(), 1e-4);
}

TEST(Scene, AnotherLawTakesOverThePresetsStiffness) {
    const char* text = R"({
      "bodies": [{"mesh": {"grid": {}}}],
      "materials": {"m": {"preset": "royal-target", "bending": "plate"}}})";

    const MaterialDescription material = scene_of(text).description.materials.at("m");

    EXPECT_EQ(material.bending.value.find("type")->string(), "plate");
    EXPECT_EQ(material.bending.value.find("warp")->number(), 47.6e-6);
    // D33 = B_45 - (D11 + D22)/4
    EXPECT_NEAR(material.bending.value.find("twist")->number(), (33.3 - (47.6 + 47.4) / 4) * 1e-6,
                1e-12);
}

TEST(Scene, GravityFollowsTheUpAxis) {
    const char* text = R"({"bodies": [{"mesh": {"grid": {}}}]})";

    EXPECT_EQ(*scene_of(text).description.gravity, Vec3(0, -9.81, 0));
    EXPECT_EQ(*scene_of(text, {"up_axis=Z"}).description.gravity, Vec3(0, 0, -9.81));
    EXPECT_EQ(*scene_of(text, {"gravity=[0,0,0]"}).description.gravity, Vec3(0, 0, 0));
}

TEST(Scene, HashFollowsThePhysicsAndNotTheWords) {
    const Scene scene = scene_of(rich);
    const auto hash_with = [](const std::string& change) {
        return scene_hash(scene_of(rich, {change}));
    };

    EXPECT_EQ(hash_with("name=other"), scene_hash(scene));
    EXPECT_EQ(hash_with("output.every=1"), scene_hash(scene));
    EXPECT_EQ(hash_with("time.frames=100"), scene_hash(scene));
    EXPECT_NE(hash_with("time.substeps=5"), scene_hash(scene));
    EXPECT_NE(hash_with("gravity[1]=0.2"), scene_hash(scene));
    EXPECT_NE(hash_with("materials.stiff.density=0.21"), scene_hash(scene));
}

TEST(Build, PlacesTheBody) {
    const BuiltScene built = build(scene_of(rich, {"bodies[0].initial={}"}));
    const sim::World& world = built.world;

    ASSERT_EQ(world.vertex_count(), 20);
    // x = R (2 X) + (0, 0, 1) with a quarter turn about z: (1, 0, 0) -> (0, 2, 1)
    EXPECT_NEAR((Vec3(vec3(world.state.x, 4)) - Vec3(0, 2, 1)).norm(), 0, 1e-12);
    EXPECT_EQ(world.gravity, Vec3(0, 0.1, -9.7));
    // The scale holds for the rest shape: 2 m x 2 m of 0.2 kg/m^2.
    EXPECT_NEAR(world.mass.sum(), 0.8, 1e-12);
    EXPECT_EQ(world.initial_x, world.state.x);
    EXPECT_EQ(world.obstacles.size(), 1u);
    EXPECT_EQ(world.obstacles[0].friction, 0.7);
    EXPECT_NE(built.tools.integrator, nullptr);
    EXPECT_NE(built.tools.solver, nullptr);
    EXPECT_NE(built.tools.contact, nullptr);
}

TEST(Build, InitialDisplacementAndVelocityOfFreeVertices) {
    const BuiltScene built = build(scene_of(rich));

    // Vertex 12 is (u, v) = (2 * 2/4, 2 * 2/3) in m: its pattern sin(7 u) sin(5 v) of 10 mm.
    const double u = 1, v = 4.0 / 3;
    EXPECT_NEAR(vec3(built.world.state.x, 12).z(), 1 + 0.01 * std::sin(7 * u) * std::sin(5 * v),
                1e-12);
    EXPECT_EQ(Vec3(vec3(built.world.state.v, 12)), Vec3(0, 0, -1));
}

TEST(Build, PinsSelectAndCarryTheirMotion) {
    const BuiltScene built = build(scene_of(rich, {"bodies[0].initial={}"}));
    const std::vector<sim::Pin>& pins = built.world.pins;

    ASSERT_EQ(pins.size(), 2u);
    EXPECT_EQ(pins[0].vertex, (std::vector<Index>{0, 5, 10, 15}));
    EXPECT_LT(pins[0].release_time, 0);
    EXPECT_EQ(pins[0].motion.keyframes.size(), 2u);
    EXPECT_EQ(pins[1].vertex, (std::vector<Index>{4}));
    EXPECT_EQ(pins[1].release_time, 0.5);
    // The pin's velocity is that of its motion: 0.1 m in a second.
    EXPECT_NEAR((Vec3(vec3(built.world.state.v, 0)) - Vec3(0, 0, 0.1)).norm(), 0, 1e-12);
}

TEST(Build, SelectorsOfAGrid) {
    // 12 13 14 15
    //  8  9 10 11
    //  4  5  6  7
    //  0  1  2  3
    const auto pinned = [](const std::string& pin) {
        const std::string text =
            R"({"bodies": [{"mesh": {"grid": {"columns": 3, "rows": 3}}, "pins": [)" + pin + "]}]}";
        return build(scene_of(text)).world.pins.at(0).vertex;
    };

    EXPECT_EQ(pinned(R"({"vertices": [7, 2, 7]})"), (std::vector<Index>{2, 7}));
    EXPECT_EQ(pinned(R"({"region": "u_max"})"), (std::vector<Index>{3, 7, 11, 15}));
    EXPECT_EQ(pinned(R"({"region": "v_min"})"), (std::vector<Index>{0, 1, 2, 3}));
    EXPECT_EQ(pinned(R"({"region": "v_max"})"), (std::vector<Index>{12, 13, 14, 15}));
    EXPECT_EQ(pinned(R"({"region": "boundary"})").size(), 12u);
    EXPECT_EQ(pinned(R"({"group": "boundary"})").size(), 12u);
    EXPECT_EQ(pinned(R"({"region": "all"})").size(), 16u);
    EXPECT_EQ(pinned(R"({"box": {"max": [0.4, 0.4, 1]}})"), (std::vector<Index>{0, 1, 4, 5}));
}

TEST(Build, SeveralBodiesShareTheWorldsVectors) {
    const char* text = R"({
      "bodies": [{"name": "a", "mesh": {"grid": {"columns": 1, "rows": 1}}},
                 {"name": "b", "mesh": {"grid": {"columns": 2, "rows": 1}}, "material": "paper",
                  "transform": {"translate": [0, 0, 1]},
                  "pins": [{"vertices": [0]}]}]})";

    const BuiltScene built = build(scene_of(text));

    EXPECT_EQ(built.world.bodies[1].first_vertex, 4);
    EXPECT_EQ(built.world.vertex_count(), 10);
    EXPECT_EQ(built.world.pins[0].vertex, (std::vector<Index>{4}));
    EXPECT_NEAR(built.world.mass.head(4).sum(), 0.15, 1e-15);
    EXPECT_NEAR(built.world.mass.tail(6).sum(), 0.1, 1e-15);
    // Membrane and bending of each body, then gravity of each.
    ASSERT_EQ(built.world.energies.size(), 6u);
    EXPECT_EQ(built.world.energies[1]->name(), "bend");
    EXPECT_EQ(built.world.energies[4]->name(), "gravity");
    EXPECT_EQ(built.world.energies[5]->name(), "gravity");
}

}  // namespace
}  // namespace taffeta::scene

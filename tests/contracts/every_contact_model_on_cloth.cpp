#include <gtest/gtest.h>

#include "scene/simulations.h"
#include "taffeta/contact/contact_model.h"
#include "taffeta/scene/json.h"

// What a contact model promises of itself, kept by two sheets that fall over a ball, one upon the other.
namespace taffeta::contact {
namespace {

class EveryContactModelOnCloth : public testing::TestWithParam<const ContactModelEntry*> {
  protected:
    static sim::Simulation simulation() {
        Settings scene = scene::parse_json(R"({
          "up_axis": "Z",
          "time": {"frame_rate": 25, "frames": 20, "step": 0.004},
          "contact": {},
          "bodies": [
            {"name": "lower", "mesh": {"grid": {"columns": 8, "rows": 8, "width": 0.4, "height": 0.4}},
             "material": "benchmark-cotton", "transform": {"translate": [-0.2, -0.2, 0.115]}},
            {"name": "upper", "mesh": {"grid": {"columns": 8, "rows": 8, "width": 0.4, "height": 0.4}},
             "material": "benchmark-cotton",
             "transform": {"rotate": [0, 0, 30], "translate": [-0.07, -0.27, 0.13]}}],
          "obstacles": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "friction": 0.3}]
        })",
                                           "fall");
        scene["contact"]["type"] = Settings::of(std::string(GetParam()->key));
        return scene::simulation_of(scene);
    }
};

TEST_P(EveryContactModelOnCloth, KeepsWhatItPromises) {
    const ContactModelProperties& promised = GetParam()->properties;
    sim::Simulation falling = simulation();
    const Surfaces surfaces = scene::surfaces_of(falling.world());
    std::size_t entered = 0, crossed = 0;

    for (int step = 0; step < 90; ++step) {
        const sim::StepRecord record = falling.step();
        ASSERT_TRUE(record.ok()) << falling.message();
        const sim::World& world = falling.world();
        for (Index v = 0; v < world.vertex_count(); ++v)
            entered +=
                !(world.obstacles[0].shape->sample(vec3(world.state.x, v), world.state.t).distance >
                  0);
        crossed += find_intersections(surfaces, world.state.x).size();
    }

    if (promised.guaranteed) {
        EXPECT_EQ(entered, 0u);
    }
    if (promised.self_contact) {
        EXPECT_EQ(crossed, 0u);
    }
    // The scene is one in which it would go wrong.
    if (std::string_view(GetParam()->key) == "none") {
        EXPECT_GT(entered, 0u);
    }
    if (std::string_view(GetParam()->key) == "constraints_1998") {
        EXPECT_GT(crossed, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryContactModelOnCloth, testing::ValuesIn(contact_models()),
                         [](const auto& parameter) { return std::string(parameter.param->key); });

}  // namespace
}  // namespace taffeta::contact

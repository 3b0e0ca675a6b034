#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scene/simulations.h"
#include "taffeta/scene/json.h"

// A soft cube that falls into a net comes to rest and stays there without jitter, though it hangs in
// valleys of the net, as long as the springs of contact bear its weight.
namespace taffeta::scene {
namespace {

struct Load {
    double stiffness, density;  ///< of a spring, N/m; of the cube, kg/m^3
};

class Hammock : public testing::TestWithParam<Load> {
  protected:
    static Settings scene() {
        Settings scene = parse_json(R"({
          "up_axis": "Z",
          "time": {"frame_rate": 25, "frames": 400, "step": 0.004},
          "contact": {"type": "pipeline_2015"},
          "bodies": [
            {"name": "net", "mesh": {"grid": {"columns": 11, "rows": 11}},
             "material": "benchmark-cotton", "pins": [{"region": "boundary"}],
             "transform": {"translate": [-0.5, -0.5, 0]}},
            {"name": "cube", "type": "soft",
             "mesh": {"box": {"columns": 2, "rows": 2, "layers": 2, "size": [0.1, 0.1, 0.1]}},
             "material": "jelly", "transform": {"translate": [-0.05, -0.05, 0.02]}}
          ],
          "materials": {"jelly": {"solid": {"type": "neo_hookean", "young": 5e4, "poisson": 0.4,
                                            "tau": 0.002}}}
        })",
                                    "hammock");
        scene["contact"]["self"] = parse_json("{}", "");
        scene["contact"]["self"]["stiffness"] = Settings::of(GetParam().stiffness);
        scene["materials"]["jelly"]["density"] = Settings::of(GetParam().density);
        return scene;
    }
};

TEST_P(Hammock, ComesToRestWithoutJitter) {
    sim::Simulation simulation = simulation_of(scene());
    const auto kinetic = [&] {
        const sim::World& world = simulation.world();
        double sum = 0;
        for (Index i = 0; i < world.vertex_count(); ++i)
            sum += 0.5 * world.mass[i] * vec3(world.state.v, i).squaredNorm();
        return sum;
    };
    // A mode of the cube on the net at angular frequency w loses w^2 h / 2 of its amplitude a second.
    const double seconds = GetParam().density > 500 ? 16 : 9;
    double fastest = 0;
    for (int step = 0; step < int(seconds / 0.004); ++step) {
        const sim::StepRecord record = simulation.step();
        ASSERT_TRUE(record.ok()) << simulation.message();
        fastest = std::max(fastest, kinetic());
        if (step > int(seconds / 0.004) - 125) {
            ASSERT_LT(kinetic(), 1e-8) << step;
        }
    }
    EXPECT_GT(fastest, 1e-3);
}

std::string name_of(const testing::TestParamInfo<Load>& load) {
    return fmt::format("Stiffness{}Density{}", load.param.stiffness, load.param.density);
}
INSTANTIATE_TEST_SUITE_P(Loads, Hammock,
                         testing::Values(Load{1000, 200}, Load{10000, 200}, Load{10000, 1000}),
                         name_of);

}  // namespace
}  // namespace taffeta::scene

#include "taffeta/mesh/generators.h"
#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* reef_knot_text = R"({
  "name": "reef-knot",
  "description": "Two ribbons 1 cm wide, laid as a reef knot, are pulled tight by their ends",
  "up_axis": "Z",
  "gravity": [0, 0, 0],
  "time": {"frame_rate": 24, "frames": 60, "substeps": 10},
  "contact": {"type": "pipeline_2015", "thickness": 0.001},
  "bodies": [{
    "name": "red",
    "mesh": {"bight": {"width": 0.01, "across": 3}},
    "material": "ribbon",
    "pins": [{"group": "ends",
              "motion": {"keyframes": [{"time": 0}, {"time": 2.5, "translate": [-0.11, 0, 0]}]}}],
    "color": [0.75, 0.22, 0.2]
  }, {
    "name": "blue",
    "mesh": {"bight": {"width": 0.01, "across": 3}},
    "material": "ribbon",
    "transform": {"rotate": [0, 180, 0]},
    "pins": [{"group": "ends",
              "motion": {"keyframes": [{"time": 0}, {"time": 2.5, "translate": [0.11, 0, 0]}]}}],
    "color": [0.2, 0.4, 0.7]
  }],
  "materials": {
    "ribbon": {
      "preset": "benchmark-cotton",
      "membrane": {"tau_stretch": 0.002, "tau_shear": 0.01},
      "bending": {"tau": 0.02}
    }
  }
})";

int size_reef_knot(Settings& scene, int wanted) {
    constexpr double width = 0.01;
    const auto count = [](int k) { return 2L * mesh::bight_vertices(width, k); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 3;
    for (const char* body : {"bodies[0].mesh.bight", "bodies[1].mesh.bight"})
        at(scene, body)["across"] = Settings::of(double(k));
    return int(count(k));
}

}  // namespace

extern const BuiltinEntry builtin_reef_knot;
constinit const BuiltinEntry builtin_reef_knot{
    .key = "reef-knot",
    .doc = "two ribbons pulled into a reef knot",
    .text = reef_knot_text,
    .resize = size_reef_knot,
};

}  // namespace taffeta::scene

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* cube_text = R"({
  "name": "cube",
  "description": "A soft cube of 0.2 m falls 0.3 m on the floor, bounces and comes to rest",
  "up_axis": "Z",
  "time": {"frame_rate": 48, "frames": 72, "substeps": 10},
  "integrator": {"type": "bdf2"},
  "contact": {"type": "pipeline_2015", "thickness": 0.001},
  "bodies": [{
    "name": "cube", "type": "soft",
    "mesh": {"box": {"columns": 8, "rows": 8, "layers": 8, "size": [0.2, 0.2, 0.2]}},
    "material": "jelly",
    "transform": {"translate": [-0.1, -0.1, 0.3]},
    "color": [0.2, 0.55, 0.35]
  }],
  "materials": {
    "jelly": {"density": 1000,
              "solid": {"type": "neo_hookean", "young": 5e4, "poisson": 0.4, "tau": 0.002}}
  },
  "obstacles": [{
    "name": "floor", "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]},
    "friction": 0.5
  }]
})";

int size_cube(Settings& scene, int wanted) {
    const auto count = [](int k) { return square(k + 1L) * (k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 8;
    Settings& box = at(scene, "bodies[0].mesh.box");
    box["columns"] = box["rows"] = box["layers"] = Settings::of(double(k));
    return int(count(k));
}

}  // namespace

extern const BuiltinEntry builtin_cube;
constinit const BuiltinEntry builtin_cube{
    .key = "cube",
    .doc = "soft cube falling on the floor",
    .text = cube_text,
    .resize = size_cube,
    .tessellate = nullptr,
};

}  // namespace taffeta::scene

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* spin_text = R"({
  "name": "spin",
  "description": "A sheet of 1 m x 1 m falls on a ball that turns about the vertical, and on a floor",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 72, "substeps": 10},
  "contact": {"type": "pipeline_2015", "thickness": 0.002},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 50, "rows": 50, "width": 1, "height": 1,
                      "tessellation": "irregular"}},
    "material": "benchmark-cotton",
    "transform": {"translate": [-0.5, -0.5, 0.36]},
    "color": [0.2, 0.42, 0.6]
  }],
  "obstacles": [{
    "name": "ball",
    "shape": {"type": "sphere", "center": [0, 0, 0.1], "radius": 0.25,
              "motion": {"angular_velocity": [0, 0, 2], "pivot": [0, 0, 0.1]}},
    "friction": 0.5,
    "color": [0.75, 0.5, 0.2]
  }, {
    "name": "floor",
    "shape": {"type": "plane", "point": [0, 0, -0.16], "normal": [0, 0, 1]},
    "friction": 0.4
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_spin;
constinit const BuiltinEntry builtin_spin{
    .key = "spin",
    .doc = "sheet on a ball that turns, and a floor",
    .text = spin_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// The paper does not say where the sheet starts nor how large the box is: see docs/benchmarks.md.
/// 15 frames at 24 fps in steps of 2 ms are 312 steps.
constexpr const char* drop_horizontal_text = R"({
  "name": "drop-horizontal",
  "description": "A level sheet of 1 m x 1 m falls 0.1 m on a box with a hole [TJM15]",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 15, "step": 0.002},
  "integrator": {"type": "linearised_backward_euler"},
  "contact": {"type": "pipeline_2015", "thickness": 0.001},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 30, "rows": 30, "width": 1, "height": 1}},
    "material": "benchmark-cotton",
    "transform": {"translate": [0, 0, 0.1]}
  }],
  "obstacles": [{
    "name": "box",
    "shape": {"type": "frame", "center": [0.5, 0.5, -0.1], "half_size": [0.7, 0.7, 0.1],
              "hole": [0.2, 0.2], "rounding": 0.005},
    "friction": 0.3,
    "color": [0.45, 0.32, 0.2]
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_drop_horizontal;
constinit const BuiltinEntry builtin_drop_horizontal{
    .key = "drop-horizontal",
    .doc = "benchmark sheet falling flat on a box with a hole",
    .text = drop_horizontal_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

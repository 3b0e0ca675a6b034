#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// Without the seed of 1 mm a symmetric state may stand and not buckle. 25 frames are 520 steps.
constexpr const char* drop_vertical_text = R"({
  "name": "drop-vertical",
  "description": "An upright sheet of 1 m x 1 m falls 0.05 m on a box with a hole [TJM15]",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 25, "step": 0.002},
  "integrator": {"type": "linearised_backward_euler"},
  "contact": {"type": "pipeline_2015", "thickness": 0.001},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 30, "rows": 30, "width": 1, "height": 1}},
    "material": "benchmark-cotton",
    "transform": {"translate": [0, 0.5, 0.05], "rotate": [90, 0, 0]},
    "initial": {"displacement": {"amplitude": [0, 0.001, 0], "frequency": [7, 5]}}
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

extern const BuiltinEntry builtin_drop_vertical;
constinit const BuiltinEntry builtin_drop_vertical{
    .key = "drop-vertical",
    .doc = "benchmark sheet falling upright on a box with a hole",
    .text = drop_vertical_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

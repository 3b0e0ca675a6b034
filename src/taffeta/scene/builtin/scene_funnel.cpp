#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* funnel_text = R"({
  "name": "funnel",
  "description": "A ball pushes a sheet of 0.6 m x 0.6 m through a funnel",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 44, "substeps": 10},
  "contact": {"type": "pipeline_2015", "thickness": 0.002},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 45, "rows": 45, "width": 0.6, "height": 0.6,
                      "tessellation": "irregular"}},
    "material": "benchmark-cotton",
    "transform": {"translate": [-0.3, -0.3, 0.34]},
    "color": [0.75, 0.22, 0.2]
  }],
  "obstacles": [{
    "name": "funnel",
    "shape": {"type": "funnel", "center": [0, 0, 0], "axis": [0, 0, 1], "top_radius": 0.45,
              "throat_radius": 0.12, "height": 0.3, "tube": 0.15},
    "friction": 0.2,
    "color": [0.55, 0.57, 0.6]
  }, {
    "name": "ball",
    "shape": {"type": "sphere", "center": [0, 0, 0.45], "radius": 0.07,
              "motion": {"keyframes": [{"time": 0.3}, {"time": 2.2, "translate": [0, 0, -0.95]}]}},
    "friction": 0.2,
    "color": [0.75, 0.5, 0.2]
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_funnel;
constinit const BuiltinEntry builtin_funnel{
    .key = "funnel",
    .doc = "sheet pushed through a funnel by a ball",
    .text = funnel_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

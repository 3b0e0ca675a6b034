#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* curtain_text = R"({
  "name": "curtain",
  "description": "A ball is pushed through a curtain of 1 m x 1 m that hangs from its upper edge",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 48, "substeps": 10},
  "contact": {"type": "pipeline_2015", "thickness": 0.002},
  "bodies": [{
    "name": "curtain",
    "mesh": {"grid": {"columns": 50, "rows": 50, "width": 1, "height": 1}},
    "material": "benchmark-cotton",
    "transform": {"rotate": [90, 0, 0]},
    "pins": [{"region": "v_max"}],
    "color": [0.2, 0.42, 0.4]
  }],
  "obstacles": [{
    "name": "ball",
    "shape": {"type": "sphere", "center": [0.5, -0.4, 0.35], "radius": 0.15,
              "motion": {"keyframes": [{"time": 0}, {"time": 2, "translate": [0, 1.8, 0]}]}},
    "friction": 0.3,
    "color": [0.75, 0.5, 0.2]
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_curtain;
constinit const BuiltinEntry builtin_curtain{
    .key = "curtain",
    .doc = "ball pushed through a hanging curtain",
    .text = curtain_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

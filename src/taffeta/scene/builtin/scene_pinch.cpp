#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// Their faces come within 3 mm of each other, less than twice the thickness: friction holds the sheet.
constexpr const char* pinch_text = R"({
  "name": "pinch",
  "description": "Two blocks close on a hanging sheet of 0.4 m x 0.4 m, which is then let go",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 36, "substeps": 10},
  "contact": {"type": "pipeline_2015", "thickness": 0.002},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 30, "rows": 30, "width": 0.4, "height": 0.4}},
    "material": "benchmark-cotton",
    "transform": {"translate": [-0.2, 0, 0], "rotate": [90, 0, 0]},
    "pins": [{"region": "v_max", "release_time": 0.8}],
    "color": [0.75, 0.22, 0.2]
  }],
  "obstacles": [{
    "name": "front",
    "shape": {"type": "box", "center": [0, -0.15, 0.25], "half_size": [0.25, 0.05, 0.05],
              "rounding": 0.01,
              "motion": {"keyframes": [{"time": 0.1}, {"time": 0.6, "translate": [0, 0.0985, 0]}]}},
    "friction": 0.5,
    "color": [0.45, 0.32, 0.2]
  }, {
    "name": "back",
    "shape": {"type": "box", "center": [0, 0.15, 0.25], "half_size": [0.25, 0.05, 0.05],
              "rounding": 0.01,
              "motion": {"keyframes": [{"time": 0.1}, {"time": 0.6, "translate": [0, -0.0985, 0]}]}},
    "friction": 0.5,
    "color": [0.45, 0.32, 0.2]
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_pinch;
constinit const BuiltinEntry builtin_pinch{
    .key = "pinch",
    .doc = "hanging sheet pinched between two blocks",
    .text = pinch_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

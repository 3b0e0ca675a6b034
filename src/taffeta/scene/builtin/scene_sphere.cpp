#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* sphere_text = R"({
  "name": "sphere",
  "description": "A sheet of 1 m x 1 m falls on a ball",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 48, "step": 0.002},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 100, "rows": 100, "width": 1, "height": 1,
                      "tessellation": "irregular"}},
    "material": "benchmark-cotton"
  }],
  "obstacles": [{
    "name": "ball",
    "shape": {"type": "sphere", "center": [0.5, 0.5, -0.25], "radius": 0.2},
    "friction": 0.3
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_sphere;
constinit const BuiltinEntry builtin_sphere{
    .key = "sphere",
    .doc = "sheet falling on a ball",
    .text = sphere_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

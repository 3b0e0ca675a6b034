#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* drooping_text = R"({
  "name": "drooping",
  "description": "A sheet of 1 m x 1 m held along two opposite edges [TJM15]",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 10, "step": 0.002},
  "integrator": {"type": "linearised_backward_euler"},
  "contact": {"type": "none"},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 30, "rows": 30, "width": 1, "height": 1}},
    "material": "benchmark-cotton",
    "pins": [{"region": "u_min"}, {"region": "u_max"}]
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_drooping;
constinit const BuiltinEntry builtin_drooping{
    .key = "drooping",
    .doc = "benchmark sheet held along two edges",
    .text = drooping_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// The square sheets of the benchmark [TJM15]: 10 frames at 24 fps in steps of 2 ms are 208 steps.
constexpr const char* pinned_text = R"({
  "name": "pinned",
  "description": "A sheet of 1 m x 1 m held along its whole boundary [TJM15]",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 10, "step": 0.002},
  "integrator": {"type": "linearised_backward_euler"},
  "contact": {"type": "none"},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 30, "rows": 30, "width": 1, "height": 1}},
    "material": "benchmark-cotton",
    "pins": [{"region": "boundary"}]
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_pinned;
constinit const BuiltinEntry builtin_pinned{
    .key = "pinned",
    .doc = "benchmark sheet held along its boundary",
    .text = pinned_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// `drooping` with springs in place of a membrane, for comparisons of integrators.
constexpr const char* springs_text = R"({
  "name": "springs",
  "description": "A mass-spring sheet of 1 m x 1 m held along two edges",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 10, "step": 0.002},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 30, "rows": 30, "width": 1, "height": 1}},
    "material": "springs",
    "pins": [{"region": "u_min"}, {"region": "u_max"}]
  }],
  "materials": {
    "springs": {
      "source": "the benchmark cotton as springs",
      "density": 0.15,
      "membrane": {"type": "springs", "structural": 2700, "diagonal": 300, "flexion": 30},
      "bending": {"type": "hinge", "stiffness": 0}
    }
  }
})";

}  // namespace

extern const BuiltinEntry builtin_springs;
constinit const BuiltinEntry builtin_springs{
    .key = "springs",
    .doc = "mass-spring sheet held along two edges",
    .text = springs_text,
    .resize = size_square,
};

}  // namespace taffeta::scene

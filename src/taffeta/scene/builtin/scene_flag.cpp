#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* flag_text = R"({
  "name": "flag",
  "description": "A flag of 1.5 m x 1 m in a wind of 6 m/s with gusts",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 240, "substeps": 10},
  "air": {
    "drag": "quadratic", "density": 1.2, "normal": 1.2, "tangential": 0.05,
    "wind": {"velocity": [6, 0, 0],
             "gusts": [{"amplitude": [1.5, 0, 0], "frequency": 0.5},
                       {"amplitude": [0, 1, 0], "frequency": 0.3}]}
  },
  "bodies": [{
    "name": "flag",
    "mesh": {"grid": {"columns": 120, "rows": 80, "width": 1.5, "height": 1}},
    "material": "benchmark-cotton",
    "transform": {"rotate": [90, 0, 0]},
    "pins": [{"region": "u_min"}],
    "color": [0.2, 0.4, 0.7]
  }]
})";

int size_flag(Settings& scene, int wanted) {
    const auto count = [](int k) { return (3L * k + 1) * (2L * k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 40;
    set_cells(scene, 3 * k, 2 * k);
    return int(count(k));
}

}  // namespace

extern const BuiltinEntry builtin_flag;
constinit const BuiltinEntry builtin_flag{
    .key = "flag",
    .doc = "flag in the wind",
    .text = flag_text,
    .resize = size_flag,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

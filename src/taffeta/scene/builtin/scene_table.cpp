#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* table_text = R"({
  "name": "table",
  "description": "A square tablecloth of 1.4 m on a round table of 0.9 m",
  "up_axis": "Y",
  "time": {"frame_rate": 24, "frames": 48, "substeps": 10},
  "air": {"density": 1.2, "normal": 1.2, "tangential": 0.05},
  "contact": {"type": "pipeline_2015", "thickness": 0.004},
  "bodies": [{
    "name": "tablecloth",
    "mesh": {"grid": {"columns": 80, "rows": 80, "width": 1.4, "height": 1.4,
                      "tessellation": "irregular"}},
    "material": "tablecloth",
    "transform": {"translate": [-0.7, 0.755, 0.7], "rotate": [-90, 0, 0]},
    "color": [0.75, 0.22, 0.2]
  }],
  "materials": {
    "tablecloth": {
      "preset": "benchmark-cotton",
      "density": 0.2,
      "membrane": {"shear": 80, "tau_stretch": 0.002, "tau_shear": 0.01},
      "bending": {"warp": 4e-5, "weft": 4e-5, "bias": 4e-5, "tau": 0.02}
    }
  },
  "obstacles": [{
    "name": "table",
    "shape": {"type": "cylinder", "center": [0, 0.725, 0], "axis": [0, 1, 0],
              "radius": 0.45, "height": 0.05, "rounding": 0.02},
    "friction": 0.4,
    "color": [0.45, 0.32, 0.2]
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_table;
constinit const BuiltinEntry builtin_table{
    .key = "table",
    .doc = "tablecloth on a round table",
    .text = table_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

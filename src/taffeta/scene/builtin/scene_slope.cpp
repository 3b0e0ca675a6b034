#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// A block slides with g (sin a - mu cos a) when mu < tan a = 0.5 and stays when mu > 0.5. Change it by
/// `--set obstacles[0].friction=0.6`.
constexpr const char* slope_text = R"({
  "name": "slope",
  "description": "A sheet of 0.3 m lies on an incline of tan 26.57 degrees = 0.5; friction 0.4 lets it slide, 0.6 holds it",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 24, "substeps": 10},
  "contact": {"type": "pipeline_2015", "thickness": 0.001},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 20, "rows": 20, "width": 0.3, "height": 0.3}},
    "material": "benchmark-cotton",
    "transform": {"translate": [0.000447213595, 0, 0.000894427191],
                  "rotate": [0, 26.565051177078, 0]},
    "color": [0.75, 0.22, 0.2]
  }],
  "obstacles": [{
    "name": "incline",
    "shape": {"type": "plane", "point": [0, 0, 0],
              "normal": [0.4472135954999579, 0, 0.8944271909999159]},
    "friction": 0.4
  }]
})";

}  // namespace

extern const BuiltinEntry builtin_slope;
constinit const BuiltinEntry builtin_slope{
    .key = "slope",
    .doc = "sheet sliding down an incline",
    .text = slope_text,
    .resize = size_square,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

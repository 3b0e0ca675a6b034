#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// Rims turn by +-pi rad/s. The reference resolution is 120 x 76 cells: --vertices 9240.
constexpr const char* twist_text = R"({
  "name": "twist",
  "description": "A tube of cloth whose rims turn against each other, one turn each in 2 s",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 60, "substeps": 10},
  "contact": {"type": "pipeline_2015", "thickness": 0.001},
  "bodies": [{
    "name": "tube",
    "mesh": {"tube": {"radius": 0.15, "length": 0.6, "around": 60, "along": 38}},
    "material": "benchmark-cotton",
    "pins": [
      {"group": "start",
       "motion": {"keyframes": [{"time": 0}, {"time": 2, "rotate": [360, 0, 0]}]}},
      {"group": "end",
       "motion": {"keyframes": [{"time": 0}, {"time": 2, "rotate": [-360, 0, 0]}]}}
    ],
    "color": [0.2, 0.42, 0.6]
  }]
})";

int size_twist(Settings& scene, int wanted) {
    const auto count = [](int k) { return 30L * k * (19 * k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 2;
    Settings& tube = at(scene, "bodies[0].mesh.tube");
    tube["around"] = Settings::of(30.0 * k);
    tube["along"] = Settings::of(19.0 * k);
    return int(count(k));
}

}  // namespace

extern const BuiltinEntry builtin_twist;
constinit const BuiltinEntry builtin_twist{
    .key = "twist",
    .doc = "tube of cloth twisted by its ends",
    .text = twist_text,
    .resize = size_twist,
};

}  // namespace taffeta::scene

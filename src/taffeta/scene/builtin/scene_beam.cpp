#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// The beam whose tip linear tets miss: 1 m x 0.1 m x 0.1 m, clamped at x = 0.
constexpr const char* beam_text = R"({
  "name": "beam",
  "description": "A beam of rubber, 1 m long, clamped at one end, swings down under its weight",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 24, "substeps": 20},
  "integrator": {"type": "bdf2"},
  "bodies": [{
    "name": "beam", "type": "soft",
    "mesh": {"box": {"columns": 20, "rows": 2, "layers": 2, "size": [1, 0.1, 0.1]}},
    "elements": "quadratic",
    "material": "rubber",
    "pins": [{"group": "x_min"}],
    "color": [0.75, 0.22, 0.2]
  }],
  "materials": {
    "rubber": {"density": 1000, "solid": {"type": "neo_hookean", "young": 1e7, "poisson": 0.3}}
  }
})";

/// A beam with k cells across and 10 k along.
int size_beam(Settings& scene, int wanted) {
    // Quadratic tets: vertices at the corners and middles of Kuhn's cells are those of twice the grid.
    const auto count = [](int k) { return (20L * k + 1) * square(2L * k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 2;
    Settings& box = at(scene, "bodies[0].mesh.box");
    box["columns"] = Settings::of(10.0 * k);
    box["rows"] = box["layers"] = Settings::of(double(k));
    return int(count(k));
}

}  // namespace

extern const BuiltinEntry builtin_beam;
constinit const BuiltinEntry builtin_beam{
    .key = "beam",
    .doc = "soft beam, clamped, swinging under its weight",
    .text = beam_text,
    .resize = size_beam,
    .tessellate = nullptr,
};

}  // namespace taffeta::scene

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// Its end moves by rho g L^2/(2 k) = 14.715 mm.
constexpr const char* hang_strip_text = R"({
  "name": "hang-strip",
  "description": "A soft strip of 1 m x 0.2 m at rest under its own weight",
  "up_axis": "Y",
  "time": {"frame_rate": 24, "frames": 1, "quasistatic": {}},
  "solver": {"type": "ldlt"},
  "bodies": [{
    "name": "strip",
    "mesh": {"grid": {"columns": 4, "rows": 20, "width": 0.2, "height": 1}},
    "material": "soft",
    "pins": [{"region": "v_max"}]
  }],
  "materials": {
    "soft": {
      "density": 0.15,
      "membrane": {"type": "baraff_witkin", "stretch_warp": 50, "stretch_weft": 50, "shear": 25},
      "bending": {"type": "hinge", "warp": 1e-6, "weft": 1e-6, "bias": 1e-6}
    }
  }
})";

int size_hang_strip(Settings& scene, int wanted) {
    const auto count = [](int k) { return (k + 1L) * (5L * k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 4;
    set_cells(scene, k, 5 * k);
    return int(count(k));
}

}  // namespace

extern const BuiltinEntry builtin_hang_strip;
constinit const BuiltinEntry builtin_hang_strip{
    .key = "hang-strip",
    .doc = "strip at rest under its weight",
    .text = hang_strip_text,
    .resize = size_hang_strip,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

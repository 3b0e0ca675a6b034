#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// Strip of free length L = 50 mm: two clamped columns at -+dx/2, so dx = L / (nx + 1/2) and the
/// clamp is at 0. B is such that Gamma = rho g L^3 / B = 10.
constexpr const char* cantilever_text = R"({
  "name": "cantilever",
  "description": "A strip of 50 mm x 10 mm clamped at one end; Gamma = rho g L^3 / B = 10",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 48, "substeps": 8},
  "bodies": [{
    "name": "strip",
    "mesh": {"grid": {"columns": 21, "rows": 4, "width": 0.05, "height": 0.01}},
    "material": "strip",
    "transform": {"translate": [0, 0, 0]},
    "pins": [{"box": {"max": [0, 1, 1]}}]
  }],
  "materials": {
    "strip": {
      "source": "Gamma = 10 with the membrane of the benchmark cotton",
      "density": 0.15,
      "membrane": {"type": "baraff_witkin", "stretch_warp": 3000, "stretch_weft": 3000,
                   "shear": 300, "tau_stretch": 0.001, "tau_shear": 0.001},
      "bending": {"type": "plate", "variant": "plate", "stiffness": 1.8393750e-5, "tau": 0.05}
    }
  }
})";

int size_cantilever(Settings& scene, int wanted) {
    constexpr double length = 0.05, width = length / 5;
    const auto count = [](int k) { return (5L * k + 2) * (k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 4;
    const double dx = length / (5 * k + 0.5);
    set_cells(scene, 5 * k + 1, k);
    set(scene, "bodies[0].mesh.grid.width", length + dx / 2);
    set(scene, "bodies[0].mesh.grid.height", width);
    set(scene, "bodies[0].transform.translate[0]", -dx / 2);
    // The box ends between the second column, at dx/2, and the third.
    set(scene, "bodies[0].pins[0].box.max[0]", dx);
    return int(count(k));
}

/// Plates are percents off on irregular meshes, however fine; there the strip has the element that
/// converges, and a clamp along a straight line.
void tessellate_cantilever(Settings& scene, const std::string& tessellation) {
    tessellate_grid(scene, tessellation);
    if (tessellation != "irregular") return;
    Settings& bending = at(scene, "materials.strip.bending");
    Settings converging = Settings::object();
    converging["type"] = Settings::of(std::string("morley"));
    for (const char* kept : {"stiffness", "tau"})
        converging[kept] = bending[kept];
    bending = converging;
    at(scene, "bodies[0].mesh.grid")["straight_columns"] = Settings::of(2.0);
}

}  // namespace

extern const BuiltinEntry builtin_cantilever;
constinit const BuiltinEntry builtin_cantilever{
    .key = "cantilever",
    .doc = "clamped strip bending under its weight",
    .text = cantilever_text,
    .resize = size_cantilever,
    .tessellate = tessellate_cantilever,
};

}  // namespace taffeta::scene

#include <cmath>

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// Cusick's drape tester: a disc of radius 0.15 m on a round table of radius 0.09 m.
constexpr const char* cusick_text = R"({
  "name": "cusick",
  "description": "A disc of cloth drapes over the edge of a round plate, at rest, as in the tester of Cusick",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 1, "quasistatic": {"max_iterations": 2000, "load_steps": 6}},
  "solver": {"type": "ldlt"},
  "bodies": [{
    "name": "disc",
    "mesh": {"disc": {"radius": 0.15, "rings": 26}},
    "material": "cloth",
    "pins": [{"sphere": {"center": [0, 0, 0], "radius": 0.0952}}],
    "initial": {"displacement": {"amplitude": [0, 0, 1e-4], "frequency": [61, 47]}},
    "color": [0.75, 0.22, 0.2]
  }],
  "materials": {
    "cloth": {
      "preset": "benchmark-cotton",
      "membrane": {"shear": 60, "psd": "exact"},
      "bending": {"psd": "exact"}
    }
  }
})";

int size_disc(Settings& scene, int wanted) {
    const auto count = [](int k) { return 1 + 3L * k * (k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 26;
    at(scene, "bodies[0].mesh.disc")["rings"] = Settings::of(double(k));
    // A clamped sheet bends from half a cell inside its last held ring, which is to be the plate's rim.
    const double held = std::round(0.6 * k + 0.5);
    set(scene, "bodies[0].pins[0].sphere.radius", (held + 0.5) * 0.15 / k);
    return int(count(k));
}

}  // namespace

extern const BuiltinEntry builtin_cusick;
constinit const BuiltinEntry builtin_cusick{
    .key = "cusick",
    .doc = "disc of cloth draped over a round plate, at rest",
    .text = cusick_text,
    .resize = size_disc,
    .tessellate = nullptr,
};

}  // namespace taffeta::scene

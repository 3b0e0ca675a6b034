#include "taffeta/mesh/garment.h"

#include <algorithm>
#include <cmath>

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

/// The pelvis of the walker stays where it is, so the waist of the skirt is simply held.
constexpr const char* figure_text = R"({
  "name": "figure",
  "description": "A person in a tunic and a skirt begins to walk",
  "up_axis": "Y",
  "time": {"frame_rate": 24, "frames": 48, "substeps": 10},
  "air": {"density": 1.2, "normal": 1.2, "tangential": 0.05},
  "contact": {"type": "pipeline_2015", "thickness": 0.004},
  "bodies": [{
    "name": "tunic",
    "mesh": {"garment": {"piece": "tunic", "edge": 0.0095}},
    "material": "linen",
    "color": [0.16, 0.36, 0.47]
  }, {
    "name": "skirt",
    "mesh": {"garment": {"piece": "skirt", "edge": 0.0095}},
    "material": "linen",
    "pins": [{"group": "waist"}],
    "color": [0.72, 0.27, 0.2]
  }],
  "materials": {
    "linen": {
      "preset": "benchmark-cotton",
      "density": 0.18,
      "membrane": {"stretch_warp": 1500, "stretch_weft": 1500, "shear": 80,
                   "tau_stretch": 0.002, "tau_shear": 0.01},
      "bending": {"warp": 1.2e-5, "weft": 1.2e-5, "bias": 1.2e-5, "tau": 0.02}
    }
  },
  "obstacles": [{
    "name": "person",
    "shape": {"type": "walker"},
    "friction": 0.3,
    "color": [0.8, 0.62, 0.52]
  }, {
    "name": "floor",
    "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
    "friction": 0.4,
    "color": [0.75, 0.75, 0.73]
  }]
})";

int figure_vertices(double edge) {
    return int(mesh::tunic_vertices({.edge = edge}) + mesh::skirt_vertices({.edge = edge}));
}

/// Both pieces have edges of one length; it is halved between too few vertices and too many.
int size_figure(Settings& scene, int wanted) {
    double edge = at(scene, "bodies[0].mesh.garment")["edge"].number();
    if (wanted > 0) {
        double fine = 0.00095, coarse = 0.08, best = coarse;
        for (int k = 0; k < 60; ++k) {
            edge = std::sqrt(fine * coarse);
            const int count = figure_vertices(edge);
            if (std::abs(count - wanted) < std::abs(figure_vertices(best) - wanted)) best = edge;
            (count > wanted ? fine : coarse) = edge;
        }
        edge = best;
    }
    for (const char* body : {"bodies[0].mesh.garment", "bodies[1].mesh.garment"})
        at(scene, body)["edge"] = Settings::of(edge);
    return figure_vertices(edge);
}

}  // namespace

extern const BuiltinEntry builtin_figure;
constinit const BuiltinEntry builtin_figure{
    .key = "figure",
    .doc = "person in a tunic and a skirt who begins to walk",
    .text = figure_text,
    .resize = size_figure,
};

}  // namespace taffeta::scene

#include <algorithm>

#include "taffeta/mesh/generators.h"
#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* reentrant_text = R"({
  "name": "re-entrant",
  "description": "An L-shaped sheet held along the two edges of its inner corner [TJM15]",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 10, "step": 0.002},
  "integrator": {"type": "linearised_backward_euler"},
  "contact": {"type": "none"},
  "bodies": [{
    "name": "sheet",
    "mesh": {"l_shape": {"columns": 33, "rows": 33, "cut_columns": 13, "cut_rows": 15}},
    "material": "benchmark-cotton",
    "pins": [{"group": "cut"}]
  }]
})";

int size_l_shape(Settings& scene, int wanted) {
    // The smallest L with a square number of vertices and both arms wide has 4 x 4.
    const int m =
        wanted > 0 ? std::max(4, nearest_size(wanted, [](int k) { return square(k); })) : 31;
    const mesh::LShapeSize size = mesh::l_shape_size(m);
    Settings& shape = at(scene, "bodies[0].mesh.l_shape");
    shape["columns"] = Settings::of(double(size.nx));
    shape["rows"] = Settings::of(double(size.ny));
    shape["cut_columns"] = Settings::of(double(size.a));
    shape["cut_rows"] = Settings::of(double(size.b));
    return m * m;
}

void tessellate_l_shape(Settings& scene, const std::string& tessellation) {
    at(scene, "bodies[0].mesh.l_shape")["tessellation"] = Settings::of(tessellation);
}

}  // namespace

extern const BuiltinEntry builtin_reentrant;
constinit const BuiltinEntry builtin_reentrant{
    .key = "re-entrant",
    .doc = "benchmark L-shape held at its inner corner",
    .text = reentrant_text,
    .resize = size_l_shape,
    .tessellate = tessellate_l_shape,
};

}  // namespace taffeta::scene

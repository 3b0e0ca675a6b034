#include "taffeta/scene/builtin.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "taffeta/mesh/generators.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/key_path.h"

namespace taffeta::scene {

namespace {

/// The square sheets of the benchmark [TJM15]: 10 frames at 24 fps in steps of 2 ms are 208 steps.
constexpr const char* pinned_text = R"({
  "name": "pinned",
  "description": "A sheet of 1 m x 1 m held along its whole boundary [TJM15]",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 10, "step": 0.002},
  "integrator": {"type": "linearised_backward_euler"},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 30, "rows": 30, "width": 1, "height": 1}},
    "material": "benchmark-cotton",
    "pins": [{"region": "boundary"}]
  }]
})";

constexpr const char* drooping_text = R"({
  "name": "drooping",
  "description": "A sheet of 1 m x 1 m held along two opposite edges [TJM15]",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 10, "step": 0.002},
  "integrator": {"type": "linearised_backward_euler"},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 30, "rows": 30, "width": 1, "height": 1}},
    "material": "benchmark-cotton",
    "pins": [{"region": "u_min"}, {"region": "u_max"}]
  }]
})";

constexpr const char* reentrant_text = R"({
  "name": "re-entrant",
  "description": "An L-shaped sheet held along the two edges of its inner corner [TJM15]",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 10, "step": 0.002},
  "integrator": {"type": "linearised_backward_euler"},
  "bodies": [{
    "name": "sheet",
    "mesh": {"l_shape": {"columns": 33, "rows": 33, "cut_columns": 13, "cut_rows": 15}},
    "material": "benchmark-cotton",
    "pins": [{"group": "cut"}]
  }]
})";

constexpr const char* sphere_text = R"({
  "name": "sphere",
  "description": "A sheet of 1 m x 1 m falls on a ball",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 48, "step": 0.002},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 100, "rows": 100, "width": 1, "height": 1,
                      "tessellation": "irregular"}},
    "material": "benchmark-cotton"
  }],
  "obstacles": [{
    "name": "ball",
    "shape": {"type": "sphere", "center": [0.5, 0.5, -0.25], "radius": 0.2},
    "friction": 0.3
  }]
})";

constexpr const char* table_text = R"({
  "name": "table",
  "description": "A square tablecloth of 1.4 m on a round table of 0.9 m",
  "up_axis": "Y",
  "time": {"frame_rate": 24, "frames": 48, "substeps": 10},
  "air": {"density": 1.2, "normal": 1.2, "tangential": 0.05},
  "contact": {"type": "constraints_1998", "thickness": 0.004},
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

constexpr const char* cube_text = R"({
  "name": "cube",
  "description": "A soft cube of 0.2 m falls 0.3 m on the floor, bounces and comes to rest",
  "up_axis": "Z",
  "time": {"frame_rate": 48, "frames": 72, "substeps": 10},
  "integrator": {"type": "bdf2"},
  "contact": {"type": "constraints_1998", "thickness": 0.001},
  "bodies": [{
    "name": "cube", "type": "soft",
    "mesh": {"box": {"columns": 8, "rows": 8, "layers": 8, "size": [0.2, 0.2, 0.2]}},
    "material": "jelly",
    "transform": {"translate": [-0.1, -0.1, 0.3]},
    "color": [0.2, 0.55, 0.35]
  }],
  "materials": {
    "jelly": {"density": 1000,
              "solid": {"type": "neo_hookean", "young": 5e4, "poisson": 0.4, "tau": 0.002}}
  },
  "obstacles": [{
    "name": "floor", "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]},
    "friction": 0.5
  }]
})";

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

/// Cusick's drape tester: a disc of radius 0.15 m on a round table of radius 0.09 m.
constexpr const char* cusick_text = R"({
  "name": "cusick",
  "description": "A disc of cloth drapes over the edge of a round plate, at rest, as in the tester of Cusick",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 1, "quasistatic": {"max_iterations": 2000}},
  "solver": {"type": "ldlt"},
  "bodies": [{
    "name": "disc",
    "mesh": {"disc": {"radius": 0.15, "rings": 28}},
    "material": "cloth",
    "pins": [{"sphere": {"center": [0, 0, 0], "radius": 0.0901}}],
    "initial": {"displacement": {"amplitude": [0, 0, 1e-4], "frequency": [61, 47]}},
    "color": [0.75, 0.22, 0.2]
  }],
  "materials": {
    "cloth": {
      "preset": "benchmark-cotton",
      "membrane": {"shear": 60},
      "bending": {"psd": "clamp"}
    }
  }
})";

struct Builtin {
    const char* name;
    const char* doc;
    const char* text;
};

constexpr Builtin all[] = {
    {"pinned", "benchmark sheet held along its boundary", pinned_text},
    {"drooping", "benchmark sheet held along two edges", drooping_text},
    {"re-entrant", "benchmark L-shape held at its inner corner", reentrant_text},
    {"sphere", "sheet falling on a ball", sphere_text},
    {"table", "tablecloth on a round table", table_text},
    {"flag", "flag in the wind", flag_text},
    {"cantilever", "clamped strip bending under its weight", cantilever_text},
    {"hang-strip", "strip at rest under its weight", hang_strip_text},
    {"cusick", "disc of cloth draped over a round plate, at rest", cusick_text},
    {"beam", "soft beam, clamped, swinging under its weight", beam_text},
    {"cube", "soft cube falling on the floor", cube_text},
};

const Builtin* find_builtin(const std::string& name) {
    for (const Builtin& builtin : all)
        if (name == builtin.name) return &builtin;
    return nullptr;
}

constexpr int most_vertices = 4'000'000;

/// The k >= 1 whose count(k) comes nearest to the number wanted.
template <class Count>
int nearest_size(int wanted, const Count& count) {
    int best = 1;
    for (int k = 1; count(k) <= 2L * wanted; ++k)
        if (std::abs(count(k) - wanted) < std::abs(count(best) - wanted)) best = k;
    return best;
}

Settings& at(Settings& value, const std::string& path) {
    Settings* here = &value;
    for (const PathStep& step : parse_path(path))
        here = step.key.empty() ? &here->items()[std::size_t(step.index)] : &(*here)[step.key];
    return *here;
}

void set(Settings& value, const std::string& path, double number) {
    at(value, path) = Settings::of(number);
}

constexpr const char* grid_path = "bodies[0].mesh.grid";

void set_cells(Settings& scene, int columns, int rows) {
    Settings& grid = at(scene, grid_path);
    grid["columns"] = Settings::of(double(columns));
    grid["rows"] = Settings::of(double(rows));
}

long square(long m) {
    return m * m;
}

/// An m x m sheet, m from the number of vertices.
int size_square(Settings& scene, int wanted) {
    const int own = int(at(scene, grid_path)["columns"].number()) + 1;
    const int m =
        wanted > 0 ? std::max(2, nearest_size(wanted, [](int k) { return square(k); })) : own;
    set_cells(scene, m - 1, m - 1);
    return m * m;
}

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

int size_flag(Settings& scene, int wanted) {
    const auto count = [](int k) { return (3L * k + 1) * (2L * k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 40;
    set_cells(scene, 3 * k, 2 * k);
    return int(count(k));
}

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

int size_cube(Settings& scene, int wanted) {
    const auto count = [](int k) { return square(k + 1L) * (k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 8;
    Settings& box = at(scene, "bodies[0].mesh.box");
    box["columns"] = box["rows"] = box["layers"] = Settings::of(double(k));
    return int(count(k));
}

int size_disc(Settings& scene, int wanted) {
    const auto count = [](int k) { return 1 + 3L * k * (k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 28;
    at(scene, "bodies[0].mesh.disc")["rings"] = Settings::of(double(k));
    return int(count(k));
}

int size_hang_strip(Settings& scene, int wanted) {
    const auto count = [](int k) { return (k + 1L) * (5L * k + 1); };
    const int k = wanted > 0 ? nearest_size(wanted, count) : 4;
    set_cells(scene, k, 5 * k);
    return int(count(k));
}

/// Whether a scene has no grid whose diagonals could be chosen.
bool has_own_mesh(const std::string& name) {
    return name == "beam" || name == "cube" || name == "cusick";
}

void set_tessellation(Settings& scene, const std::string& name, const std::string& tessellation) {
    if (tessellation.empty() || has_own_mesh(name)) return;
    const bool l_shape = name == "re-entrant";
    Settings& mesh = at(scene, l_shape ? "bodies[0].mesh.l_shape" : grid_path);
    mesh["tessellation"] = Settings::of(tessellation);
    // The plain plate is 9 to 23 % too stiff on irregular meshes; platex is consistent there.
    if (name == "cantilever" && tessellation == "irregular")
        at(scene, "materials.strip.bending.variant") = Settings::of(std::string("platex"));
}

}  // namespace

const std::vector<std::string>& builtin_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const Builtin& builtin : all)
            found.emplace_back(builtin.name);
        return found;
    }();
    return names;
}

bool is_builtin(const std::string& name) {
    return find_builtin(name) != nullptr;
}

std::string builtin_doc(const std::string& name) {
    const Builtin* builtin = find_builtin(name);
    return builtin ? builtin->doc : "";
}

BuiltinScene builtin_scene(const std::string& name, const BuiltinOptions& options) {
    const Builtin* builtin = find_builtin(name);
    if (!builtin) {
        const std::string near = nearest(name, builtin_names());
        fail_input(
            escaped(name), "is no built-in scene",
            near.empty() ? "see `taffeta list scene`" : fmt::format("did you mean '{}'?", near));
    }
    if (options.vertices < 0 || options.vertices > most_vertices)
        fail_input(name, fmt::format("{} vertices", options.vertices),
                   fmt::format("from 4 to {}", most_vertices));
    BuiltinScene made;
    made.settings = parse_json(builtin->text, "built-in scene " + name);
    if (name == "re-entrant")
        made.vertices = size_l_shape(made.settings, options.vertices);
    else if (name == "flag")
        made.vertices = size_flag(made.settings, options.vertices);
    else if (name == "cantilever")
        made.vertices = size_cantilever(made.settings, options.vertices);
    else if (name == "cusick")
        made.vertices = size_disc(made.settings, options.vertices);
    else if (name == "hang-strip")
        made.vertices = size_hang_strip(made.settings, options.vertices);
    else if (name == "beam")
        made.vertices = size_beam(made.settings, options.vertices);
    else if (name == "cube")
        made.vertices = size_cube(made.settings, options.vertices);
    else
        made.vertices = size_square(made.settings, options.vertices);
    set_tessellation(made.settings, name, options.tessellation);
    return made;
}

}  // namespace taffeta::scene

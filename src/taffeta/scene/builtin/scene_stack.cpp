#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/builtin/sizing.h"

namespace taffeta::scene {

namespace {

constexpr const char* stack_text = R"({
  "name": "stack",
  "description": "Ten sheets of 0.4 m x 0.4 m fall on each other, each turned a little",
  "up_axis": "Z",
  "time": {"frame_rate": 24, "frames": 36, "substeps": 10},
  "contact": {"type": "pipeline_2015", "thickness": 0.001},
  "bodies": [{
    "name": "sheet",
    "mesh": {"grid": {"columns": 16, "rows": 16, "width": 0.4, "height": 0.4}},
    "material": "benchmark-cotton",
    "color": [0.75, 0.22, 0.2]
  }],
  "obstacles": [{
    "name": "floor",
    "shape": {"type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]},
    "friction": 0.3
  }]
})";

/// Ten times the sheet of the text: 2 cm apart, each turned by 9 degrees more about its middle.
int size_stack(Settings& scene, int wanted) {
    constexpr int sheets = 10;
    constexpr double middle = 0.2, turn = 9, lowest = 0.03, gap = 0.02;
    const auto count = [](int k) { return sheets * square(k + 1L); };
    const int cells = wanted > 0 ? nearest_size(wanted, count) : 16;
    const Settings sheet = at(scene, "bodies[0]");
    std::vector<Settings>& bodies = scene["bodies"].items();
    bodies.clear();
    const auto vector = [](double x, double y, double z) {
        Settings value = Settings::array();
        value.items() = {Settings::of(x), Settings::of(y), Settings::of(z)};
        return value;
    };
    for (int k = 0; k < sheets; ++k) {
        bodies.push_back(sheet);
        Settings& body = bodies.back();
        body["name"] = Settings::of("sheet" + std::to_string(k + 1));
        const double angle = turn * k * std::numbers::pi / 180;
        const double c = middle * std::cos(angle), s = middle * std::sin(angle);
        Settings transform = Settings::object();
        transform["translate"] = vector(s - c, -s - c, lowest + gap * k);
        transform["rotate"] = vector(0, 0, turn * k);
        body["transform"] = transform;
        const double part = double(k) / (sheets - 1);
        body["color"] = vector(0.75 - 0.55 * part, 0.25 + 0.2 * part, 0.2 + 0.4 * part);
        set_cells(scene, cells, cells, k);
    }
    return int(count(cells));
}

}  // namespace

extern const BuiltinEntry builtin_stack;
constinit const BuiltinEntry builtin_stack{
    .key = "stack",
    .doc = "ten sheets falling on each other and a floor",
    .text = stack_text,
    .resize = size_stack,
    .tessellate = tessellate_grid,
};

}  // namespace taffeta::scene

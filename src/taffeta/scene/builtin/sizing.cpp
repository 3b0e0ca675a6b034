#include "taffeta/scene/builtin/sizing.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/scene/key_path.h"

namespace taffeta::scene {

namespace {

std::string grid_path(int body) {
    return fmt::format("bodies[{}].mesh.grid", body);
}

}  // namespace

Settings& at(Settings& value, const std::string& path) {
    Settings* here = &value;
    for (const PathStep& step : parse_path(path))
        here = step.key.empty() ? &here->items()[std::size_t(step.index)] : &(*here)[step.key];
    return *here;
}

void set(Settings& value, const std::string& path, double number) {
    at(value, path) = Settings::of(number);
}

void set_cells(Settings& scene, int columns, int rows, int body) {
    Settings& grid = at(scene, grid_path(body));
    grid["columns"] = Settings::of(double(columns));
    grid["rows"] = Settings::of(double(rows));
}

int size_square(Settings& scene, int wanted) {
    const int own = int(at(scene, grid_path(0))["columns"].number()) + 1;
    const int m =
        wanted > 0 ? std::max(2, nearest_size(wanted, [](int k) { return square(k); })) : own;
    set_cells(scene, m - 1, m - 1);
    return m * m;
}

void tessellate_grid(Settings& scene, const std::string& tessellation) {
    const int bodies = int(scene["bodies"].items().size());
    for (int body = 0; body < bodies; ++body)
        at(scene, grid_path(body))["tessellation"] = Settings::of(tessellation);
}

}  // namespace taffeta::scene

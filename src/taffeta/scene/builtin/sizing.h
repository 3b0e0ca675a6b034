#pragma once

#include <cstdlib>
#include <string>

#include "taffeta/base/settings.h"

/// Words in which the built-in scenes say how their meshes follow a number of vertices.
namespace taffeta::scene {

/// The k >= 1 whose count(k), which grows with k, comes nearest to the number wanted.
template <class Count>
int nearest_size(int wanted, const Count& count) {
    int best = 1;
    for (int k = 1; count(k) <= 2L * wanted; ++k)
        if (std::abs(count(k) - wanted) < std::abs(count(best) - wanted)) best = k;
    return best;
}

inline long square(long m) {
    return m * m;
}

/// The value under a path such as `bodies[0].mesh.grid`; keys that are missing are made.
Settings& at(Settings& value, const std::string& path);
void set(Settings& value, const std::string& path, double number);

/// Cells of the grid of a body.
void set_cells(Settings& scene, int columns, int rows, int body = 0);
/// The grid of the first body is an m x m sheet, m from the number of vertices.
int size_square(Settings& scene, int wanted);
/// The tessellation of the grids of all bodies.
void tessellate_grid(Settings& scene, const std::string& tessellation);

}  // namespace taffeta::scene

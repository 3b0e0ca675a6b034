#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "taffeta/base/error.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::mesh {

namespace {

struct Known {
    Index m;
    LShapeSize size;
};

/// The twelve sizes of the benchmark [TJM15]; ties of the measure are settled by this table.
constexpr std::array<Known, 12> benchmark = {{{31, {33, 33, 13, 15}},
                                              {41, {46, 46, 22, 24}},
                                              {61, {70, 70, 33, 40}},
                                              {81, {90, 90, 40, 43}},
                                              {101, {114, 114, 54, 56}},
                                              {151, {172, 172, 81, 88}},
                                              {201, {232, 232, 112, 124}},
                                              {301, {338, 354, 169, 176}},
                                              {401, {466, 466, 231, 248}},
                                              {601, {690, 690, 340, 342}},
                                              {801, {916, 918, 454, 443}},
                                              {1001, {1145, 1145, 565, 551}}}};

/// How far the shape is from a square without a quarter.
double distance_from_ideal(const LShapeSize& size) {
    return std::abs(2.0 * size.a / size.nx - 1) + std::abs(2.0 * size.b / size.ny - 1) +
           1.5 * std::abs(double(size.nx) / size.ny - 1);
}

/// Tries every cut of a grid of nx x ny cells that leaves m^2 vertices, a in ascending order.
void try_cuts(std::int64_t m, Index nx, Index ny, LShapeSize& best, double& best_distance) {
    const std::int64_t removed = (std::int64_t(nx) + 1) * (std::int64_t(ny) + 1) - m * m;
    for (std::int64_t a = 1; a < nx && a <= removed; ++a) {
        if (removed % a != 0 || removed / a >= ny) continue;
        const LShapeSize size = {nx, ny, Index(a), Index(removed / a)};
        const double distance = distance_from_ideal(size);
        if (distance >= best_distance) continue;
        best = size;
        best_distance = distance;
    }
}

}  // namespace

LShapeSize l_shape_size(Index m) {
    for (const Known& known : benchmark)
        if (known.m == m) return known.size;
    if (m < 3 || m > 20000)
        fail_input("l_shape", fmt::format("no L-shape for m = {}", m), "3 <= m <= 20000");

    // Ideally 3/4 of (nx+1)(ny+1) vertices stay, so nx is near 2 m / sqrt(3). Nearly square grids
    // first: the last term of the measure then bounds all that follow.
    LShapeSize best = {0, 0, 0, 0};
    double best_distance = std::numeric_limits<double>::infinity();
    const Index low = std::max<Index>(2, m), high = Index(m * 1.4) + 2;
    for (Index skew = 0; skew <= high - low; ++skew) {
        if (1.5 * skew / high >= best_distance) break;
        for (Index nx = low; nx + skew <= high; ++nx) {
            try_cuts(m, nx, nx + skew, best, best_distance);
            if (skew > 0) try_cuts(m, nx + skew, nx, best, best_distance);
        }
    }
    if (best.nx == 0)
        fail_input("l_shape", fmt::format("no L-shape has exactly {} vertices", m * m),
                   "choose a larger m");
    return best;
}

}  // namespace taffeta::mesh

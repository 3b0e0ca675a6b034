#include <fmt/format.h>

#include <cmath>

#include "taffeta/base/error.h"
#include "taffeta/mesh/counted_random.h"
#include "taffeta/mesh/delaunay.h"
#include "taffeta/mesh/generators.h"

/// Grids of the benchmark scenes: rectangle and L-shape, straight or jittered.
///
/// Vertices in rows (i fastest), faces in cell order, two a cell. The corners of cell (i, j) are
///
///     d --- c      diagonal a-c: faces (a, b, c), (a, c, d)
///     |     |      diagonal b-d: faces (a, b, d), (b, c, d)
///     a --- b
namespace taffeta::mesh {

namespace {

/// Cells [0, nx) x [0, ny) without the last cut_x columns of the last cut_y rows.
struct Outline {
    Index nx, ny, cut_x, cut_y;
    double width, height;

    bool has_cell(Index i, Index j) const {
        return i >= 0 && j >= 0 && i < nx && j < ny && (i < nx - cut_x || j < ny - cut_y);
    }
    bool has_vertex(Index i, Index j) const {
        return has_cell(i, j) || has_cell(i - 1, j) || has_cell(i, j - 1) || has_cell(i - 1, j - 1);
    }
    bool is_interior(Index i, Index j) const {
        return has_cell(i, j) && has_cell(i - 1, j) && has_cell(i, j - 1) && has_cell(i - 1, j - 1);
    }
};

/// A quarter of a cell would let the start triangulation fold over; this stays just below.
constexpr double jitter = 0.24;

void check(const Outline& outline) {
    const auto [nx, ny, cut_x, cut_y, width, height] = outline;
    if (nx < 1 || ny < 1)
        fail_input("grid", fmt::format("{} x {} cells", nx, ny), "at least 1 x 1");
    if ((std::int64_t(nx) + 1) * (std::int64_t(ny) + 1) > (std::int64_t(1) << 29))
        fail_input("grid", fmt::format("{} x {} cells are too many", nx, ny),
                   "at most 2^29 vertices");
    if (!(width > 0) || !(height > 0) || !std::isfinite(width) || !std::isfinite(height))
        fail_input("grid", fmt::format("size {} x {} m is not positive", width, height));
    const bool no_cut = cut_x == 0 && cut_y == 0;
    if (!no_cut && (cut_x < 1 || cut_y < 1 || cut_x >= nx || cut_y >= ny))
        fail_input("l_shape",
                   fmt::format("a cut of {} x {} cells out of {} x {}", cut_x, cut_y, nx, ny),
                   "at least one cell, and a row and a column must stay");
}

TriMesh make(const Outline& outline, Tessellation tessellation, std::uint64_t seed,
             Index straight_columns = 0) {
    check(outline);
    const Index columns = outline.nx + 1;
    const double dx = outline.width / outline.nx, dy = outline.height / outline.ny;
    TriMesh mesh;
    std::vector<Index> number(std::size_t(columns) * std::size_t(outline.ny + 1), -1);
    const auto slot = [&](Index i, Index j) -> Index& {
        return number[std::size_t(j) * std::size_t(columns) + std::size_t(i)];
    };

    for (Index j = 0; j <= outline.ny; ++j)
        for (Index i = 0; i <= outline.nx; ++i) {
            if (!outline.has_vertex(i, j)) continue;
            const Index vertex = slot(i, j) = mesh.vertex_count();
            Vec2 point(outline.width * i / outline.nx, outline.height * j / outline.ny);
            if (tessellation == Tessellation::irregular && outline.is_interior(i, j) &&
                i >= straight_columns) {
                const std::uint64_t counter = std::uint64_t(vertex);
                point.x() += jitter * dx * (2 * counted_random(counter, 0, seed) - 1);
                point.y() += jitter * dy * (2 * counted_random(counter, 1, seed) - 1);
            }
            mesh.position.emplace_back(point.x(), point.y(), 0);
            mesh.uv.push_back(point);
        }

    for (Index j = 0; j < outline.ny; ++j)
        for (Index i = 0; i < outline.nx; ++i) {
            if (!outline.has_cell(i, j)) continue;
            const Index a = slot(i, j), b = slot(i + 1, j), c = slot(i + 1, j + 1);
            const Index d = slot(i, j + 1);
            if (tessellation == Tessellation::alternating && (i + j) % 2 != 0) {
                mesh.face.push_back({a, b, d});
                mesh.face.push_back({b, c, d});
            } else {
                mesh.face.push_back({a, b, c});
                mesh.face.push_back({a, c, d});
            }
        }
    if (tessellation == Tessellation::irregular) make_delaunay(mesh.position, mesh.face);
    mesh.face_uv = mesh.face;
    return mesh;
}

}  // namespace

TriMesh grid(Index nx, Index ny, double width, double height, Tessellation tessellation,
             std::uint64_t seed, Index straight_columns) {
    return make({nx, ny, 0, 0, width, height}, tessellation, seed, straight_columns);
}

TriMesh l_shape(Index nx, Index ny, Index a, Index b, Tessellation tessellation,
                std::uint64_t seed) {
    if (a == 0 || b == 0)
        fail_input("l_shape", fmt::format("a cut of {} x {} cells", a, b), "at least one cell");
    return make({nx, ny, a, b, 1, 1}, tessellation, seed);
}

}  // namespace taffeta::mesh

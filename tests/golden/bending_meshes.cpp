#include <cmath>
#include <random>

#include "bending_cases.h"
#include "taffeta/mesh/delaunay.h"
#include "taffeta/mesh/generators.h"

namespace taffeta::bending_cases {

namespace {

double area(const std::vector<Vec3>& position, const Triangle& face) {
    const Vec3 &a = position[std::size_t(face[0])], &b = position[std::size_t(face[1])],
               &c = position[std::size_t(face[2])];
    return ((b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x())) / 2;
}

/// Moves inner vertices at random, again and again, wherever no face becomes thin; Delaunay after each
/// pass. After six passes neighbours are not those of the grid any more.
void shuffle(mesh::TriMesh& mesh, const Vec2& cell, const std::vector<bool>& fixed,
             std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    const auto random = [&] { return double(generator() >> 11) * 0x1p-52 - 1; };
    for (int pass = 0; pass < 6; ++pass) {
        std::vector<std::vector<std::size_t>> around(mesh.position.size());
        for (std::size_t f = 0; f < mesh.face.size(); ++f)
            for (const Index v : mesh.face[f])
                around[std::size_t(v)].push_back(f);
        for (std::size_t v = 0; v < mesh.position.size(); ++v) {
            if (fixed[v]) continue;
            const Vec3 before = mesh.position[v];
            mesh.position[v] += 0.4 * Vec3(cell.x() * random(), cell.y() * random(), 0);
            for (const std::size_t f : around[v])
                if (area(mesh.position, mesh.face[f]) < 0.15 * cell.x() * cell.y())
                    mesh.position[v] = before;
        }
        mesh::make_delaunay(mesh.position, mesh.face);
    }
    mesh.face_uv = mesh.face;
    for (std::size_t v = 0; v < mesh.position.size(); ++v)
        mesh.uv[v] = mesh.position[v].head<2>();
}

}  // namespace

const char* name_of(Family family) {
    switch (family) {
        case Family::regular:
            return "regular";
        case Family::alternating:
            return "alternating";
        case Family::irregular:
            return "irregular";
        case Family::delaunay:
            return "delaunay";
    }
    return "";
}

mesh::TriMesh sheet(Family family, Index nx, Index ny, double width, double height,
                    Index straight_columns, std::uint64_t seed) {
    using mesh::Tessellation;
    const Tessellation tessellation = family == Family::alternating ? Tessellation::alternating
                                      : family == Family::irregular ? Tessellation::irregular
                                                                    : Tessellation::regular;
    mesh::TriMesh made = mesh::grid(nx, ny, width, height, tessellation, seed, straight_columns);
    if (family == Family::delaunay) {
        std::vector<bool> fixed;
        for (Index j = 0; j <= ny; ++j)
            for (Index i = 0; i <= nx; ++i)
                fixed.push_back(i == 0 || j == 0 || i == nx || j == ny || i < straight_columns);
        shuffle(made, Vec2(width / nx, height / ny), fixed, seed);
    }
    return made;
}

}  // namespace taffeta::bending_cases

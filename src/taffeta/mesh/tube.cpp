#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "taffeta/base/error.h"
#include "taffeta/mesh/generators.h"

/// A tube of cloth: a sheet rolled up along x, sewn to itself.
namespace taffeta::mesh {

TriMesh tube(double radius, double length, Index around, Index along) {
    if (!(radius > 0) || !(length > 0) || !std::isfinite(radius * length))
        fail_input("tube", fmt::format("radius {} m, length {} m", radius, length),
                   "both must be positive");
    if (around < 3 || along < 1 || std::int64_t(around) * (along + 1) > (std::int64_t(1) << 29))
        fail_input("tube", fmt::format("{} x {} cells", around, along),
                   "at least 3 around and 1 along");
    TriMesh mesh;
    // Cells are flat: as wide as the chord, so that the rolled sheet has no strain.
    const double chord = 2 * radius * std::sin(std::numbers::pi / around);
    for (Index j = 0; j <= along; ++j)
        for (Index i = 0; i <= around; ++i) {
            const double angle = 2 * std::numbers::pi * i / around, x = length * j / along;
            mesh.uv.emplace_back(x, chord * i);
            if (i == around) continue;
            if (j == 0 || j == along)
                mesh.group[j == 0 ? "start" : "end"].push_back(mesh.vertex_count());
            mesh.position.emplace_back(x, radius * std::sin(angle), radius * std::cos(angle));
        }
    const auto vertex = [&](Index i, Index j) { return j * around + i % around; };
    const auto corner = [&](Index i, Index j) { return j * (around + 1) + i; };
    for (Index j = 0; j < along; ++j)
        for (Index i = 0; i < around; ++i)
            for (const bool upper : {false, true}) {
                // The diagonal turns from cell to cell, so that no sense of twist is preferred.
                const bool turned = (i + j) % 2 != 0;
                const std::array<std::array<Index, 2>, 4> cell{
                    {{i, j}, {i, j + 1}, {i + 1, j + 1}, {i + 1, j}}};
                const std::array<int, 3> pick =
                    turned ? (upper ? std::array{1, 2, 3} : std::array{0, 1, 3})
                           : (upper ? std::array{0, 2, 3} : std::array{0, 1, 2});
                Triangle face, uv;
                for (std::size_t k = 0; k < 3; ++k) {
                    const auto& [ci, cj] = cell[std::size_t(pick[k])];
                    face[k] = vertex(ci, cj);
                    uv[k] = corner(ci, cj);
                }
                mesh.face.push_back(face);
                mesh.face_uv.push_back(uv);
            }
    return mesh;
}

}  // namespace taffeta::mesh

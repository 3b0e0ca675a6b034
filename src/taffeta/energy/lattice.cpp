#include "taffeta/energy/lattice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffeta::energy {

std::optional<Lattice> find_lattice(const BodyView& body) {
    const std::vector<Triangle>& faces = body.mesh.face;
    const auto vertices = std::size_t(body.mesh.vertex_count());
    if (faces.empty()) return {};
    const double none = std::numeric_limits<double>::infinity();
    std::vector<Vec2> place(vertices, Vec2::Constant(none));
    Vec2 low = Vec2::Constant(none), high = -low, cell = Vec2::Zero();
    for (std::size_t f = 0; f < faces.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec2 uv = body.rest.face_uv[f][k];
            Vec2& here = place[std::size_t(faces[f][k])];
            if (here.x() < none && (here - uv).norm() > 1e-9 * uv.norm() + 1e-12)
                return {};  // a seam
            here = uv;
            low = low.cwiseMin(uv), high = high.cwiseMax(uv);
            cell = cell.cwiseMax((body.rest.face_uv[f][(k + 1) % 3] - uv).cwiseAbs());
        }
    Lattice lattice;
    lattice.columns = Index(std::lround((high.x() - low.x()) / cell.x()));
    lattice.rows = Index(std::lround((high.y() - low.y()) / cell.y()));
    const auto slots = (std::size_t(lattice.columns) + 1) * (std::size_t(lattice.rows) + 1);
    if (lattice.columns < 1 || lattice.rows < 1 || slots != vertices ||
        faces.size() != 2 * std::size_t(lattice.columns) * std::size_t(lattice.rows))
        return {};
    lattice.du = (high.x() - low.x()) / lattice.columns;
    lattice.dv = (high.y() - low.y()) / lattice.rows;
    lattice.vertex.assign(vertices, -1);
    for (std::size_t v = 0; v < vertices; ++v) {
        const double i = (place[v].x() - low.x()) / lattice.du;
        const double j = (place[v].y() - low.y()) / lattice.dv;
        if (!(std::abs(i - std::round(i)) < 1e-6) || !(std::abs(j - std::round(j)) < 1e-6))
            return {};
        Index& slot =
            lattice.vertex[std::size_t(std::lround(j)) * std::size_t(lattice.columns + 1) +
                           std::size_t(std::lround(i))];
        if (slot >= 0) return {};
        slot = body.first_vertex + Index(v);
    }
    return lattice;
}

Lattice require_lattice(const BodyView& body, std::string_view law) {
    std::optional<Lattice> lattice = find_lattice(body);
    if (!lattice)
        fail_input(
            std::string(law),
            fmt::format("needs a rectangular grid in one panel, which this mesh of {} vertices "
                        "and {} faces is not",
                        body.mesh.vertex_count(), body.mesh.face_count()),
            "`\"mesh\": {\"grid\": {...}}` with regular or alternating diagonals");
    return *lattice;
}

}  // namespace taffeta::energy

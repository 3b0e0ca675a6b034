#include "taffeta/mesh/garment_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/base/error.h"

namespace taffeta::mesh {

void fill_strip(const PanelRow& upper, const PanelRow& lower, TriMesh& mesh) {
    const auto at = [&](const PanelRow& row, std::size_t k) {
        return mesh.uv[std::size_t(row.uv[k])];
    };
    std::size_t i = 0, j = 0;
    while (i + 1 < upper.vertex.size() || j + 1 < lower.vertex.size()) {
        bool along_upper = j + 1 == lower.vertex.size();
        if (!along_upper && i + 1 < upper.vertex.size())
            along_upper = (at(upper, i + 1) - at(lower, j)).squaredNorm() <
                          (at(upper, i) - at(lower, j + 1)).squaredNorm();
        const PanelRow& row = along_upper ? upper : lower;
        const std::size_t next = along_upper ? ++i : ++j;
        const std::size_t from = along_upper ? i - 1 : i, other = along_upper ? j : j - 1;
        mesh.face.push_back({upper.vertex[from], lower.vertex[other], row.vertex[next]});
        mesh.face_uv.push_back({upper.uv[from], lower.uv[other], row.uv[next]});
    }
}

Index pieces(double length, double edge) {
    return std::max(Index(1), Index(std::lround(length / edge)));
}

void check_garment(const GarmentSize& size) {
    if (!(size.height > 0) || !std::isfinite(size.height))
        fail_input("garment", fmt::format("a person {} m tall", size.height));
    const double least = 5e-4 * size.height, most = 0.05 * size.height;
    if (!(size.edge >= least && size.edge <= most))
        fail_input("garment", fmt::format("edges of {} m", size.edge),
                   fmt::format("from {:.3g} to {:.3g} m for this height", least, most));
}

}  // namespace taffeta::mesh

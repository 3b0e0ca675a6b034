#include "taffeta/mesh/charts.h"

#include <utility>

namespace taffeta::mesh {

namespace {

constexpr std::array<Index, 2> no_faces = {-1, -1};
constexpr Index crowded = -2;  ///< second entry of an edge with more than two faces

/// The half-edges of every edge with at most two faces.
std::vector<std::array<Index, 2>> pair_half_edges(const Topology& topology) {
    std::vector<std::array<Index, 2>> pair(topology.edge.size(), no_faces);
    for (std::size_t f = 0; f < topology.face_edge.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            auto& [first, second] = pair[std::size_t(topology.face_edge[f][k])];
            if (first < 0)
                first = Index(3 * f + k);
            else
                second = second == -1 ? Index(3 * f + k) : crowded;
        }
    return pair;
}

}  // namespace

Charts uv_charts(const Topology& topology, const std::vector<std::array<Vec2, 3>>& face_uv) {
    const std::vector<std::array<Index, 2>> pair = pair_half_edges(topology);
    const auto ends = [&](Index h) {
        const std::array<Vec2, 3>& uv = face_uv[std::size_t(h / 3)];
        return std::pair(uv[std::size_t((h + 1) % 3)], uv[std::size_t((h + 2) % 3)]);
    };
    return face_components(Index(face_uv.size()), [&](Index f, Index k) -> Index {
        const auto [first, second] =
            pair[std::size_t(topology.face_edge[std::size_t(f)][std::size_t(k)])];
        if (second < 0) return -1;
        const Index own = 3 * f + k, other = own == first ? second : first;
        const auto [a, b] = ends(own);
        const auto [c, d] = ends(other);
        // Opposite ways along the edge for consistent faces, the same way for a turned one.
        return (a == d && b == c) || (a == c && b == d) ? other / 3 : Index(-1);
    });
}

}  // namespace taffeta::mesh

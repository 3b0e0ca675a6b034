#include <algorithm>
#include <numeric>

#include "taffeta/energy/assembler.h"
#include "taffeta/energy/lanes.h"

namespace taffeta::energy {

namespace {

/// Elements in a cluster: as many as have their blocks in the second-level cache, for at the border
/// of clusters blocks are read and written twice; fewer in small meshes, so that a colour keeps
/// every core busy.
Index cluster_size(Index elements) {
    const Index wanted = std::clamp(elements / 160, Index(64), Index(512));
    return wanted / lanes * lanes;
}

/// For each vertex the clusters that touch it, ascending and without repetition.
struct VertexClusters {
    std::vector<Index> begin, cluster;
};

VertexClusters make_vertex_clusters(Index vertices, const sparse::StencilSet& stencils,
                                    const std::vector<Index>& element_begin) {
    const auto visit = [&](const auto& found) {
        std::vector<Index> last(std::size_t(vertices), -1);
        for (std::size_t c = 0; c + 1 < element_begin.size(); ++c)
            for (auto k = std::size_t(element_begin[c]) * std::size_t(stencils.size);
                 k < std::size_t(element_begin[c + 1]) * std::size_t(stencils.size); ++k) {
                const Index vertex = stencils.vertices[k];
                if (vertex < 0 || last[std::size_t(vertex)] == Index(c)) continue;
                last[std::size_t(vertex)] = Index(c);
                found(std::size_t(vertex), Index(c));
            }
    };
    VertexClusters table;
    table.begin.assign(std::size_t(vertices) + 1, 0);
    visit([&](std::size_t vertex, Index) { ++table.begin[vertex + 1]; });
    std::partial_sum(table.begin.begin(), table.begin.end(), table.begin.begin());
    table.cluster.resize(std::size_t(table.begin.back()));
    std::vector<Index> next(table.begin.begin(), table.begin.end() - 1);
    visit([&](std::size_t vertex, Index c) { table.cluster[std::size_t(next[vertex]++)] = c; });
    return table;
}

/// Greedy: each cluster, in order, takes the colour with the fewest clusters among those that none
/// of its neighbours has; a new one only when there is none. So colours stay balanced and few.
std::vector<Index> color_clusters(const sparse::StencilSet& stencils,
                                  const std::vector<Index>& element_begin,
                                  const VertexClusters& touching, Index& colors) {
    const std::size_t clusters = element_begin.size() - 1;
    std::vector<Index> color(clusters, -1), load, forbidden_by;
    for (std::size_t c = 0; c < clusters; ++c) {
        for (auto k = std::size_t(element_begin[c]) * std::size_t(stencils.size);
             k < std::size_t(element_begin[c + 1]) * std::size_t(stencils.size); ++k) {
            const Index vertex = stencils.vertices[k];
            if (vertex < 0) continue;
            const auto v = std::size_t(vertex);
            for (Index t = touching.begin[v]; t < touching.begin[v + 1]; ++t) {
                const auto other = std::size_t(touching.cluster[std::size_t(t)]);
                if (other >= c) break;
                forbidden_by[std::size_t(color[other])] = Index(c);
            }
        }
        Index best = -1;
        for (std::size_t k = 0; k < load.size(); ++k)
            if (forbidden_by[k] != Index(c) && (best < 0 || load[k] < load[std::size_t(best)]))
                best = Index(k);
        if (best < 0) {
            best = Index(load.size());
            load.push_back(0);
            forbidden_by.push_back(-1);
        }
        color[c] = best;
        ++load[std::size_t(best)];
    }
    colors = Index(load.size());
    return color;
}

}  // namespace

ScatterPlan make_scatter_plan(Index vertices, const sparse::StencilSet& stencils,
                              const sparse::BlockPattern* pattern) {
    ScatterPlan plan;
    plan.color_begin = {0};
    const Index elements = stencils.count();
    const Index size = cluster_size(elements);
    for (Index e = 0; e < elements; e += size)
        plan.element_begin.push_back(e);
    plan.element_begin.push_back(elements);
    if (elements == 0) return plan;

    const VertexClusters touching = make_vertex_clusters(vertices, stencils, plan.element_begin);
    Index colors = 0;
    const std::vector<Index> color = color_clusters(stencils, plan.element_begin, touching, colors);
    plan.cluster.resize(color.size());
    std::iota(plan.cluster.begin(), plan.cluster.end(), 0);
    std::stable_sort(plan.cluster.begin(), plan.cluster.end(), [&](Index a, Index b) {
        return color[std::size_t(a)] < color[std::size_t(b)];
    });
    plan.color_begin.assign(std::size_t(colors) + 1, 0);
    for (const Index k : color)
        ++plan.color_begin[std::size_t(k) + 1];
    std::partial_sum(plan.color_begin.begin(), plan.color_begin.end(), plan.color_begin.begin());
    if (pattern) plan.slot = sparse::make_slots(*pattern, stencils);
    return plan;
}

}  // namespace taffeta::energy

#include "taffeta/mesh/half_edges.h"

#include <algorithm>

#include "taffeta/base/parallel.h"

namespace taffeta::mesh {

namespace {

struct Spoke {
    Index high;  ///< the larger vertex
    Index half_edge;
};

/// Half-edges in buckets of their smaller vertex, each bucket by larger vertex, then by number.
std::vector<Spoke> sorted_spokes(const std::vector<Triangle>& face, Index vertex_count) {
    const Index size = Index(3 * face.size());
    std::vector<Index> bucket(std::size_t(vertex_count) + 1, 0);
    const auto low = [&](Index h) {
        return std::min(half_edge_from(face, h), half_edge_to(face, h));
    };
    for (Index h = 0; h < size; ++h)
        ++bucket[std::size_t(low(h)) + 1];
    for (std::size_t v = 1; v < bucket.size(); ++v)
        bucket[v] += bucket[v - 1];

    std::vector<Spoke> spoke(std::size_t(size), Spoke{});
    std::vector<Index> fill(bucket.begin(), bucket.end() - 1);
    for (Index h = 0; h < size; ++h) {
        const Index high = std::max(half_edge_from(face, h), half_edge_to(face, h));
        spoke[std::size_t(fill[std::size_t(low(h))]++)] = {high, h};
    }
    parallel_for(vertex_count, 4096, [&](Index v) {
        std::sort(spoke.begin() + bucket[std::size_t(v)],
                  spoke.begin() + bucket[std::size_t(v) + 1], [](const Spoke& a, const Spoke& b) {
                      return a.high != b.high ? a.high < b.high : a.half_edge < b.half_edge;
                  });
    });
    return spoke;
}

}  // namespace

HalfEdges make_half_edges(const std::vector<Triangle>& face, Index vertex_count) {
    const std::vector<Spoke> spoke = sorted_spokes(face, vertex_count);
    const auto same_edge = [&](std::size_t i, std::size_t j) {
        return spoke[i].high == spoke[j].high &&
               std::min(half_edge_from(face, spoke[i].half_edge),
                        half_edge_to(face, spoke[i].half_edge)) ==
                   std::min(half_edge_from(face, spoke[j].half_edge),
                            half_edge_to(face, spoke[j].half_edge));
    };

    // The first half-edge of a group names its edge; here it remembers where the group stands.
    std::vector<Index> group_start(spoke.size(), -1);
    for (std::size_t i = 0; i < spoke.size(); ++i)
        if (i == 0 || !same_edge(i - 1, i)) group_start[std::size_t(spoke[i].half_edge)] = Index(i);

    HalfEdges made;
    made.half_edge.reserve(spoke.size());
    made.edge_of.resize(spoke.size());
    made.edge.reserve(spoke.size() / 2 + 3);
    made.start.reserve(spoke.size() / 2 + 4);
    made.start.push_back(0);
    for (std::size_t h = 0; h < spoke.size(); ++h) {
        if (group_start[h] < 0) continue;
        const Index from = half_edge_from(face, Index(h)), to = half_edge_to(face, Index(h));
        std::size_t i = std::size_t(group_start[h]);
        do {
            made.half_edge.push_back(spoke[i].half_edge);
            made.edge_of[std::size_t(spoke[i].half_edge)] = Index(made.edge.size());
            ++i;
        } while (i < spoke.size() && group_start[std::size_t(spoke[i].half_edge)] < 0);
        made.edge.push_back({std::min(from, to), std::max(from, to)});
        made.start.push_back(Index(made.half_edge.size()));
    }
    return made;
}

}  // namespace taffeta::mesh

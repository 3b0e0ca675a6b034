#include "taffeta/solve/sa/ordering.h"

#include <algorithm>

#include "taffeta/base/parallel.h"

namespace taffeta::solve::sa {

namespace {

/// Breadth-first order of the component of `start`, appended to `order`; returns where its last
/// level begins. Neighbours enter by ascending degree.
std::size_t breadth_first(const Graph& graph, const std::vector<char>& keep,
                          const std::vector<Index>& degree, Index start, std::vector<Index>& mark,
                          Index stamp, std::vector<Index>& order) {
    std::size_t level_begin = order.size(), level_end = order.size() + 1;
    order.push_back(start);
    mark[std::size_t(start)] = stamp;
    std::size_t last_level = level_begin;
    while (level_begin < level_end) {
        last_level = level_begin;
        for (std::size_t q = level_begin; q < level_end; ++q) {
            const Index i = order[q];
            const std::size_t first = order.size();
            for (Index s = graph.row_begin[std::size_t(i)]; s < graph.row_begin[std::size_t(i) + 1];
                 ++s) {
                const Index j = graph.column[std::size_t(s)];
                if (!keep[std::size_t(j)] || mark[std::size_t(j)] == stamp) continue;
                mark[std::size_t(j)] = stamp;
                order.push_back(j);
            }
            std::sort(order.begin() + std::ptrdiff_t(first), order.end(), [&](Index a, Index b) {
                const Index da = degree[std::size_t(a)], db = degree[std::size_t(b)];
                return da != db ? da < db : a < b;
            });
        }
        level_begin = level_end;
        level_end = order.size();
    }
    return last_level;
}

}  // namespace

std::vector<Index> reverse_cuthill_mckee(const Graph& graph, const std::vector<char>& keep) {
    const Index n = graph.rows();
    std::vector<Index> degree(std::size_t(n), 0);
    for (Index i = 0; i < n; ++i)
        degree[std::size_t(i)] =
            graph.row_begin[std::size_t(i) + 1] - graph.row_begin[std::size_t(i)];
    std::vector<Index> order, mark(std::size_t(n), -1), scratch;
    order.reserve(std::size_t(n));
    Index stamp = 0;
    std::vector<char> done(std::size_t(n), 0);
    for (Index seed = 0; seed < n; ++seed) {
        if (!keep[std::size_t(seed)] || done[std::size_t(seed)]) continue;
        // Two breadth-first passes find a start near one end of the component.
        Index start = seed;
        for (int pass = 0; pass < 2; ++pass) {
            scratch.clear();
            const std::size_t last =
                breadth_first(graph, keep, degree, start, mark, stamp++, scratch);
            start = *std::min_element(scratch.begin() + std::ptrdiff_t(last), scratch.end(),
                                      [&](Index a, Index b) {
                                          const Index da = degree[std::size_t(a)];
                                          const Index db = degree[std::size_t(b)];
                                          return da != db ? da < db : a < b;
                                      });
        }
        const std::size_t first = order.size();
        breadth_first(graph, keep, degree, start, mark, stamp++, order);
        for (std::size_t q = first; q < order.size(); ++q)
            done[std::size_t(order[q])] = 1;
    }
    std::reverse(order.begin(), order.end());
    return order;
}

std::vector<Index> positions_of(const std::vector<Index>& order, Index n) {
    std::vector<Index> position(std::size_t(n), -1);
    for (std::size_t p = 0; p < order.size(); ++p)
        position[std::size_t(order[p])] = Index(p);
    return position;
}

Index bandwidth(const Graph& graph, const std::vector<Index>& position) {
    constexpr Index grain = 4096;
    std::vector<Index> widest(std::size_t(graph.rows() / grain + 1), 0);
    parallel_chunks(graph.rows(), grain, [&](Index first, Index last) {
        Index here_widest = 0;
        for (Index i = first; i < last; ++i) {
            const Index here = position[std::size_t(i)];
            if (here < 0) continue;
            for (Index s = graph.row_begin[std::size_t(i)]; s < graph.row_begin[std::size_t(i) + 1];
                 ++s) {
                const Index there = position[std::size_t(graph.column[std::size_t(s)])];
                if (there >= 0) here_widest = std::max(here_widest, std::abs(here - there));
            }
        }
        widest[std::size_t(first / grain)] = here_widest;
    });
    return *std::max_element(widest.begin(), widest.end());
}

Strips make_strips(Index rows, Index bandwidth, Index at_least) {
    Strips strips;
    // Long strips have few rows that see other strips, short ones are many for many threads.
    strips.bandwidth = bandwidth;
    const Index wanted = std::min(4 * bandwidth, rows / 12);
    const Index length = std::max({bandwidth, wanted, at_least, Index(1)});
    const Index count = std::max(Index(1), rows / length);
    for (Index s = 0; s <= count; ++s)
        strips.begin.push_back(Index(std::int64_t(rows) * s / count));
    return strips;
}

}  // namespace taffeta::solve::sa

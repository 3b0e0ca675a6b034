#include "taffeta/solve/direct/fill_order.h"

#include <fmt/format.h>
#include <metis.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <mutex>
#include <numeric>

#include "taffeta/solve/system_check.h"

namespace taffeta::solve {

namespace {

/// Neighbours of each vertex, itself left out.
struct VertexGraph {
    std::vector<idx_t> begin, neighbour;

    Index vertices() const { return Index(begin.size()) - 1; }
};

/// Calls `visit(i, j)` once for every coupled pair. A pattern need not be symmetric: of a pair that
/// is there one way only, the other way is a block of zeros.
template <class Visit>
void for_each_pair(const sparse::BlockPattern& pattern, const Visit& visit) {
    for (Index i = 0; i < pattern.rows(); ++i)
        for (Index s = pattern.row_begin[std::size_t(i)]; s < pattern.row_begin[std::size_t(i) + 1];
             ++s) {
            const Index j = pattern.column[std::size_t(s)];
            if (j > i || (j < i && pattern.slot(j, i) < 0)) visit(i, j);
        }
}

VertexGraph graph_of(const sparse::BlockPattern& pattern) {
    VertexGraph graph;
    graph.begin.assign(std::size_t(pattern.rows()) + 1, 0);
    for_each_pair(pattern, [&](Index i, Index j) {
        ++graph.begin[std::size_t(i) + 1];
        ++graph.begin[std::size_t(j) + 1];
    });
    for (std::size_t i = 1; i < graph.begin.size(); ++i)
        graph.begin[i] += graph.begin[i - 1];
    graph.neighbour.resize(std::size_t(graph.begin.back()));
    std::vector<idx_t> next(graph.begin.begin(), graph.begin.end() - 1);
    for_each_pair(pattern, [&](Index i, Index j) {
        graph.neighbour[std::size_t(next[std::size_t(i)]++)] = idx_t(j);
        graph.neighbour[std::size_t(next[std::size_t(j)]++)] = idx_t(i);
    });
    return graph;
}

/// METIS draws from rand() after srand() with its own seed: two orderings at a time would make
/// each other's results a matter of luck.
SolveReport dissection_order(VertexGraph& graph, std::vector<Index>& order) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const std::size_t n = std::size_t(graph.vertices());
    idx_t vertices = idx_t(n);
    std::vector<idx_t> vertex(n), position(n);
    const int status = METIS_NodeND(&vertices, graph.begin.data(), graph.neighbour.data(), nullptr,
                                    nullptr, vertex.data(), position.data());
    if (status != METIS_OK)
        return failure(SolveStatus::breakdown,
                       fmt::format("METIS cannot order {} vertices (its status is {}); the option "
                                   "ordering amd does without it",
                                   n, status));
    order.assign(vertex.begin(), vertex.end());
    return {};
}

/// Eigen's wants ascending columns with their diagonal: without it, it silently orders nothing.
std::vector<Index> minimum_degree_order(const VertexGraph& graph) {
    const Index n = graph.vertices();
    Eigen::SparseMatrix<double> coupling(n, n);
    coupling.resizeNonZeros(Eigen::Index(graph.neighbour.size()) + n);
    int* column = coupling.innerIndexPtr();
    for (Index i = 0; i < n; ++i) {
        int* const first = column;
        coupling.outerIndexPtr()[i] = int(first - coupling.innerIndexPtr());
        column = std::copy(graph.neighbour.begin() + graph.begin[std::size_t(i)],
                           graph.neighbour.begin() + graph.begin[std::size_t(i) + 1], column);
        *column++ = i;
        std::sort(first, column);
    }
    coupling.outerIndexPtr()[n] = int(graph.neighbour.size()) + n;
    std::fill_n(coupling.valuePtr(), graph.neighbour.size() + std::size_t(n), 1.0);
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
    Eigen::AMDOrdering<int>()(coupling, order);
    return {order.indices().begin(), order.indices().end()};
}

void set_vertices(std::vector<Index> vertices, FillOrder& order) {
    order.vertex = std::move(vertices);
    order.position.resize(order.vertex.size());
    for (std::size_t k = 0; k < order.vertex.size(); ++k)
        order.position[std::size_t(order.vertex[k])] = Index(k);
}

/// The elimination tree, -1 above roots, and the count of numbers by its row subtrees [Liu90]: row k
/// of L has a block in every column on the way from a neighbour of k up the tree to k.
std::vector<Index> make_elimination_tree(const VertexGraph& graph, FillOrder& order) {
    const Index n = graph.vertices();
    std::vector<Index> parent(std::size_t(n), -1), seen_from(std::size_t(n), -1);
    std::int64_t blocks = 0;
    for (Index k = 0; k < n; ++k) {
        const std::size_t vertex = std::size_t(order.vertex[std::size_t(k)]);
        seen_from[std::size_t(k)] = k;
        for (idx_t e = graph.begin[vertex]; e < graph.begin[vertex + 1]; ++e) {
            Index i = order.position[std::size_t(graph.neighbour[std::size_t(e)])];
            if (i > k) continue;
            for (; seen_from[std::size_t(i)] != k; i = parent[std::size_t(i)]) {
                if (parent[std::size_t(i)] < 0) parent[std::size_t(i)] = k;
                seen_from[std::size_t(i)] = k;
                ++blocks;
            }
        }
    }
    order.factor_entries = 9 * blocks + 6 * std::int64_t(n);
    return parent;
}

/// Each subtree in one piece, before its root. The fill is the same, but columns of one structure
/// come to lie side by side, which is what supernodes are made of.
std::vector<Index> postordered(const std::vector<Index>& parent, const FillOrder& order) {
    const std::size_t n = parent.size();
    std::vector<Index> first_child(n, -1), next_sibling(n, -1), stack, result;
    for (std::size_t k = n; k-- > 0;) {
        if (parent[k] < 0) continue;
        Index& first = first_child[std::size_t(parent[k])];
        next_sibling[k] = first;
        first = Index(k);
    }
    for (std::size_t root = 0; root < n; ++root) {
        if (parent[root] >= 0) continue;
        stack.push_back(Index(root));
        while (!stack.empty()) {
            const std::size_t k = std::size_t(stack.back());
            if (first_child[k] >= 0) {  // go down; the next time k is on top, to the next child
                stack.push_back(first_child[k]);
                first_child[k] = next_sibling[std::size_t(first_child[k])];
            } else {
                result.push_back(order.vertex[k]);
                stack.pop_back();
            }
        }
    }
    return result;
}

}  // namespace

SolveReport fill_reducing_order(const sparse::BlockPattern& pattern, const std::string& method,
                                FillOrder& order) {
    VertexGraph graph = graph_of(pattern);
    std::vector<Index> vertices(std::size_t(graph.vertices()));
    if (graph.neighbour.empty()) {  // METIS is not made for graphs without edges
        std::iota(vertices.begin(), vertices.end(), Index(0));
    } else if (method == "amd") {
        vertices = minimum_degree_order(graph);
    } else {
        const SolveReport report = dissection_order(graph, vertices);
        if (!report.ok()) return report;
    }
    set_vertices(std::move(vertices), order);
    set_vertices(postordered(make_elimination_tree(graph, order), order), order);
    return {};
}

}  // namespace taffeta::solve

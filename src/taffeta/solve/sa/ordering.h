#pragma once

#include <span>
#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::solve::sa {

/// A graph in compressed rows; the diagonal may be present.
struct Graph {
    std::span<const Index> row_begin, column;
    Index rows() const { return Index(row_begin.size()) - 1; }
};

/// Reverse Cuthill-McKee numbering of the vertices with `keep` != 0: position -> vertex. Breadth
/// first from a vertex of small degree far from its component's middle; ties by degree, then by
/// number, so it depends on the graph alone.
std::vector<Index> reverse_cuthill_mckee(const Graph& graph, const std::vector<char>& keep);

/// Vertex -> position of `n` vertices, -1 for those that have none.
std::vector<Index> positions_of(const std::vector<Index>& order, Index n);

/// Largest |i - j| over the edges between kept vertices.
Index bandwidth(const Graph& graph, const std::vector<Index>& position);

/// Rows cut into strips of at least the bandwidth, so that a strip is coupled with its two
/// neighbours only: all even strips may run at the same time, then all odd ones. A sweep in that
/// order is one Gauss-Seidel sweep of a fixed order, whatever the number of threads.
struct Strips {
    std::vector<Index> begin;  ///< #strips + 1
    Index bandwidth = 0;       ///< of the rows: only so many at each end see other strips

    Index count() const { return Index(begin.size()) - 1; }
};
Strips make_strips(Index rows, Index bandwidth, Index at_least);

}  // namespace taffeta::solve::sa

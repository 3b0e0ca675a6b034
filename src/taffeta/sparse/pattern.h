#pragma once

#include <memory>
#include <span>
#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::sparse {

/// The fixed sparsity of a square block matrix: compressed rows, columns ascending, always with
/// the diagonal. Built once for a set of stencils and shared by every matrix that has it.
struct BlockPattern {
    std::vector<Index> row_begin;  ///< #rows + 1
    std::vector<Index> column;     ///< #blocks, ascending within a row
    std::vector<Index> diagonal;   ///< slot of the diagonal block of each row

    Index rows() const { return Index(diagonal.size()); }
    Index blocks() const { return Index(column.size()); }
    /// Slot of block (row, column), -1 when it is not in the pattern. O(log row length).
    Index slot(Index row, Index col) const;
};

using Pattern = std::shared_ptr<const BlockPattern>;

/// Stencils of one kind of element: `size` vertices each, -1 for an absent one.
struct StencilSet {
    int size = 0;
    std::span<const Index> vertices;

    Index count() const { return size ? Index(vertices.size() / std::size_t(size)) : 0; }
};

/// The pattern in which every pair of vertices of a stencil is coupled. Throws bad input when the
/// number of blocks would not fit an Index.
Pattern make_pattern(Index vertices, std::span<const StencilSet> stencils);

/// Element-to-slot plan: entry (e, i, j) is the slot of block (vertex i, vertex j) of element e,
/// -1 where one of them is absent. `size * size` slots an element, row-major.
std::vector<Index> make_slots(const BlockPattern& pattern, const StencilSet& stencils);

}  // namespace taffeta::sparse

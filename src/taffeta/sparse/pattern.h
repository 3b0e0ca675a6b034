#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
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

/// The pattern in which every pair of vertices of a stencil is coupled. Throws bad input when a
/// stencil names a vertex outside [-1, vertices), or when there are more than `max_blocks` blocks:
/// slots are of type Index. Linear in the number of pairs, parallel over rows.
Pattern make_pattern(Index vertices, std::span<const StencilSet> stencils,
                     Index max_blocks = std::numeric_limits<Index>::max());

/// Element-to-slot plan: entry (e, i, j) is the slot of block (vertex i, vertex j) of element e,
/// -1 where one of them is absent. `size * size` slots an element, row-major. The pattern must
/// have been made from these stencils, among others.
std::vector<Index> make_slots(const BlockPattern& pattern, const StencilSet& stencils);

/// What breaks the rules of a pattern that somebody else made: rows that do not tile the blocks,
/// a column out of range, columns unsorted or twice in a row, a missing diagonal. Empty when none.
std::string find_fault(const BlockPattern& pattern);

}  // namespace taffeta::sparse

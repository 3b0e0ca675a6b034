#pragma once

#include "taffeta/sparse/block_matrix.h"

namespace taffeta::sparse {

/// A pattern with more couplings than another, and where the blocks of the other one are in it.
struct ExtendedPattern {
    Pattern pattern;
    std::vector<Index> slot;  ///< of each block of the base
};

/// The base with all pairs of vertices of the stencils coupled, in ascending order: linear in the
/// number of blocks, parallel over rows.
ExtendedPattern extend_pattern(const BlockPattern& base, const StencilSet& stencils);

/// Whether every pair of vertices of the stencils is coupled.
bool has_couplings(const BlockPattern& pattern, const StencilSet& stencils);

}  // namespace taffeta::sparse

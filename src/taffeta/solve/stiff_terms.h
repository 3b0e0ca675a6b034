#pragma once

#include <array>
#include <span>

#include "taffeta/sparse/block_matrix.h"

namespace taffeta::solve {

/// k q q', q on four vertices: the stiffness of a spring between two elements, whose q is w_j n at its
/// j-th vertex. k > 0; the vertices differ.
struct RankOneTerm {
    std::array<Index, 4> vertex;
    std::array<Vec3, 4> q;
    double k;
};

/// What is known of A beyond its numbers: A = rest + sum of the terms, or nearly, where the terms may be
/// far stiffer than the rest, and come and go while the pattern of the rest stays. A solver that does
/// not need it ignores it. What it points to must outlive the solves.
struct StiffTerms {
    const sparse::Matrix3* rest = nullptr;  ///< SPD, as many rows as A; nullptr: nothing is known
    std::span<const RankOneTerm> terms;
    bool exact = false;  ///< there is no more in A: cheaper where the terms are soft
};

}  // namespace taffeta::solve

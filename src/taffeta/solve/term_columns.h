#pragma once

#include <span>
#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::solve {

/// The columns of a tall sparse matrix P and of D P, D block diagonal: each column sits on the same few
/// vertices, `on_each` for all of them.
struct TermColumns {
    Index on_each = 4;
    std::vector<Index> vertex;  ///< `on_each` a column, one after the other
    std::vector<Vec3> p, dp;    ///< of these vertices

    std::vector<Index> touched;        ///< vertices with columns, ascending
    std::vector<Index> place;          ///< of each vertex in `touched`, or -1
    std::vector<Index> begin, corner;  ///< for each touched one its places in `vertex`

    Index count() const { return Index(vertex.size()) / on_each; }
    std::span<const Index> corners(Index i) const {
        const std::size_t first = std::size_t(begin[std::size_t(i)]);
        return {corner.data() + first, std::size_t(begin[std::size_t(i) + 1]) - first};
    }

    /// Finds the columns of each of so many vertices.
    void index(Index vertices);
    /// out = P' u or, along `dp`, (D P)' u
    void gather(const std::vector<Vec3>& along, const VecX& u, VecX& out) const;
    /// u <- u - P weight or, along `dp`, u - D P weight
    void subtract(const std::vector<Vec3>& along, const VecX& weight, VecX& u) const;

    std::size_t bytes() const;
};

}  // namespace taffeta::solve

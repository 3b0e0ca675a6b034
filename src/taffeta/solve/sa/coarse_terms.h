#pragma once

#include <span>

#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/sparse/block_matrix.h"

namespace taffeta::solve::sa {

/// Rank-one terms g q q' on four vertices each, for the first coarse level: A_c += Q_c g Q_c' with
/// Q_c = P' Q. P is made without them, and so is the finest level, but for what sweeps on `whole` do to the
/// vertices of terms (LocalSweeps).
struct SoftTerms {
    std::span<const Index> vertex;      ///< four a term
    std::span<const Vec3> q;            ///< four a term
    std::span<const double> stiffness;  ///< g, in the units of A
    const sparse::Matrix3* whole =
        nullptr;  ///< the matrix with the terms, where it is to be preconditioned

    bool empty() const { return stiffness.empty(); }
    Index count() const { return Index(stiffness.size()); }
};

/// Adds what the terms couple to the pattern of A; false when it has all of it already. `position`:
/// vertex -> row of P or -1.
template <int C>
bool extend_by_terms(const SoftTerms& terms, const std::vector<Index>& position,
                     const ProlongatorRows<3, C>& P, SquareRows<C>& A);

/// Adds scale times the terms to the values of A, whose pattern must have their couplings.
template <int C>
void add_coarse_terms(const SoftTerms& terms, float scale, const std::vector<Index>& position,
                      const ProlongatorRows<3, C>& P, SquareRows<C>& A);

}  // namespace taffeta::solve::sa

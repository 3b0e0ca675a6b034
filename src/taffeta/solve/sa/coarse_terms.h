#pragma once

#include <span>
#include <vector>

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

/// Such terms on the coarse level. Terms that follow each other on the same vertices are one **run**, and couple
/// the same coarse rows. Threads work on rows, each of which takes what its runs add in their order: the same
/// bits for any number of threads.
class CoarseTerms {
  public:
    /// Which of `coarse_rows` rows each run acts on. `position`: vertex -> row of P or -1.
    template <int C>
    void find_rows(const SoftTerms& terms, const std::vector<Index>& position,
                   const ProlongatorRows<3, C>& P, Index coarse_rows);

    /// Adds what the runs couple to the pattern of A; false when it has all of it already.
    template <int C>
    bool extend(SquareRows<C>& A) const;

    /// Adds scale times the terms of `find_rows` to the values of A, whose pattern must have their couplings.
    template <int C>
    void add(const SoftTerms& terms, float scale, const std::vector<Index>& position,
             const ProlongatorRows<3, C>& P, SquareRows<C>& A);

    std::size_t bytes() const;

  private:
    Index runs() const { return Index(first_.size()) - 1; }
    Index terms_of(Index run) const {
        return first_[std::size_t(run) + 1] - first_[std::size_t(run)];
    }
    /// Ascending.
    std::span<const Index> rows_of(Index run) const {
        return {row_.data() + begin_[std::size_t(run)], std::size_t(rows_[std::size_t(run)])};
    }
    /// Where Q_c of a run begins: a vector for each of its terms and rows.
    float* q_of(Index run) { return q_.data() + q_begin_[std::size_t(run)]; }

    /// One row of one run: `rows_of(run)[k]`.
    struct Part {
        Index run, k;
    };
    std::span<const Part> parts_of(std::size_t row) const {
        return {part_.data() + part_begin_[row], part_.data() + part_begin_[row + 1]};
    }

    std::vector<Index> first_;  ///< term of each run, and behind the last one
    std::vector<Index> begin_, row_, rows_;
    std::vector<Index> part_begin_;  ///< of each coarse row
    std::vector<Part> part_;
    std::vector<std::size_t> q_begin_;
    FloatArray q_;
};

}  // namespace taffeta::solve::sa

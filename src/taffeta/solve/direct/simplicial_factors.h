#pragma once

#include <cstdint>
#include <vector>

#include "taffeta/solve/direct/factors.h"

namespace taffeta::solve {

/// L D L' row by row [Davis06, chapter 4, "up-looking"], in blocks of the three rows of a vertex: one index and one
/// walk of the elimination tree serve nine numbers. It goes on past negative pivots, so it can tell of a matrix that is
/// not positive definite where and by how much.
///
/// Blocks of zeros are left out of each factorisation, and with them what they would fill: a held vertex, whose
/// prefiltered rows are zero but for the diagonal, costs nothing. So the structure is that of the numbers, found
/// anew each time, which takes a walk over the blocks of L: little beside their 27 products each.
class SimplicialFactors final : public Factors {
  public:
    Triangle::Half half() const override { return Triangle::Half::upper; }
    SolveReport analyse(const Triangle& B) override;
    SolveReport factorize(const Triangle& B) override;
    void pivots(VecX& D) const override { D = pivots_; }
    SolveReport solve(const VecX& r, VecX& y) override;
    std::size_t bytes() const override;
    std::size_t blocks() const { return row_.size(); }  ///< of L below its diagonal

  private:
    struct Entry {  ///< a block above the diagonal of B
        Index row;
        int first;  ///< of its column, from the start of that column of numbers
    };

    void find_structure(const Triangle& B);
    bool eliminate(const Triangle& B, Index k);

    std::vector<std::size_t> entry_begin_;  ///< #V + 1, of `entries_`
    std::vector<Entry> entries_;            ///< blocks of B that are not zero
    std::vector<Index> parent_;             ///< in the elimination tree, -1 above roots
    std::vector<Index> seen_from_;          ///< the row whose walk has last met a column
    std::vector<Index> stack_, path_;
    std::vector<std::size_t> begin_, end_;  ///< of the columns of L; `end_` grows row by row
    std::vector<Index> row_;                ///< of the blocks of L
    std::vector<Mat3> block_, unit_;        ///< blocks of L below its diagonal, and on it
    std::vector<Mat3> work_;                ///< of one row, transposed, by columns
    VecX pivots_;                           ///< D
};

}  // namespace taffeta::solve

#pragma once

#include <vector>

#include "taffeta/base/parallel.h"
#include "taffeta/sparse/block_matrix.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::solve {

/// z = M^-1 r with M = (E + L) E^-1 (E + L)' / f, which SSOR and incomplete Cholesky share: E is
/// block diagonal and SPD, L strictly lower triangular, f a positive number.
///
///     forward   u_i = E_i^-1 (r_i - sum_{j<i} L_ij u_j)
///     backward  z_i = f u_i - E_i^-1 sum_{j>i} L_ji' z_j
///
/// "Lower" is meant in an order of elimination that two threads and more can follow: vertices by
/// reverse Cuthill-McKee, cut into strips no shorter than the bandwidth, all even strips before all
/// odd ones. No two even strips are coupled, nor two odd ones, so the strips of one parity run at the
/// same time. The order depends on the pattern alone, so M is the same matrix, to the last bit, for
/// any number of threads. (Colours of single vertices would give more parallelism than anybody has
/// threads and cost iterations; levels of the original order need a barrier every few rows.)
///
/// L and L' are both stored, each in the order in which its sweep reads it. L' is made from L, so
/// that M is symmetric also where A is so only up to rounding.
class TriangularSweeps {
  public:
    /// Order, strips and memory for a pattern; nothing when it is the same pattern as before.
    void plan(const sparse::Pattern& pattern);

    /// L <- the strictly lower triangle of S A S, and L' <- its transpose. False when a number is not
    /// finite.
    bool load(const sparse::Matrix3& A, const sparse::NodeFilter& filter);

    void apply(const VecX& r, VecX& z) const;

    Index rows() const { return Index(vertex_.size()); }
    Index vertex(Index row) const { return vertex_[std::size_t(row)]; }  ///< row of A
    /// The slots of row i of L are [first_slot(i), first_slot(i + 1)), columns ascending.
    Index first_slot(Index row) const { return lower_begin_[std::size_t(row)]; }
    Index column(Index slot) const { return lower_column_[std::size_t(slot)]; }
    Eigen::Map<Mat3> lower(Index slot) { return Eigen::Map<Mat3>(at(lower_, slot)); }
    /// L_ij' of slot (i, j) of L, as the backward sweep reads it.
    Eigen::Map<Mat3> upper(Index slot) {
        return Eigen::Map<Mat3>(at(upper_, mirror_[std::size_t(slot)]));
    }
    Eigen::Map<Mat3> inverse(Index row) { return Eigen::Map<Mat3>(at(inverse_, row)); }  ///< E_i^-1
    void set_factor(double f) { factor_ = f; }

    /// Calls `body(first, last, strip)` for runs of rows: first the even strips in parallel, then
    /// the odd ones (`reverse`: the other way round). Forward, a row may use what was made for the
    /// rows of its columns in L.
    template <class Body>
    void over_strips(bool reverse, const Body& body) const {
        for (const bool even : {!reverse, reverse}) {
            const Index begin = even ? 0 : even_strips_, end = even ? even_strips_ : strips();
            parallel_for(end - begin, 1, [&](Index k) {
                const std::size_t strip = std::size_t(begin + k);
                body(strip_begin_[strip], strip_begin_[strip + 1], Index(strip));
            });
        }
    }

    Index strips() const { return Index(strip_begin_.size()) - 1; }
    std::size_t bytes() const;

  private:
    static double* at(sparse::UntouchedVector<double>& blocks, Index slot) {
        return blocks.data() + std::size_t(slot) * 9;
    }
    void forward(const double* r, Index first, Index last) const;
    void backward(double* z, Index first, Index last) const;
    void make_order();
    void make_triangles();

    sparse::Pattern pattern_;
    std::vector<Index> vertex_;       ///< row -> vertex
    std::vector<Index> row_of_;       ///< vertex -> row
    std::vector<Index> strip_begin_;  ///< #strips + 1, the even strips first
    Index even_strips_ = 0;
    std::vector<Index> lower_begin_, lower_column_, upper_begin_, upper_column_;
    std::vector<Index> source_;                       ///< slot of L -> slot of A
    std::vector<Index> mirror_;                       ///< slot of L -> slot of L'
    sparse::UntouchedVector<double> lower_, upper_;   ///< nine numbers a block, column-major
    sparse::UntouchedVector<double> inverse_;         ///< E^-1
    mutable sparse::UntouchedVector<double> vector_;  ///< u, then z: four numbers a row
    double factor_ = 1;
};

}  // namespace taffeta::solve

#pragma once

#include "taffeta/sparse/orthonormal_rows.h"

namespace taffeta::sparse {

/// Any equality constraints: a node filter (S0, z0) and rows across vertices, C x = d, such as those
/// of a vertex on a face or of two crossing edges. [TJM15] section 8, last paragraphs.
///
/// With Q from Gram-Schmidt on the rows of C S0, S = S0 - Q'Q is the orthogonal projector onto the
/// directions that all constraints leave free, and z = z0 + Q'e the smallest x that satisfies
/// them. The filter stays block diagonal and costs what it did; only rows that share vertices are
/// coupled in Q.
///
/// A row that follows from others, or from the filter, is dropped with a note. One that contradicts
/// them is a conflict: solvers refuse the basis with that sentence.
class ConstraintBasis {
  public:
    ConstraintBasis() = default;
    /// Throws bad input for rows that are none (`check_rows`). A row whose sine to the span of the
    /// others is below `tolerance` counts as dependent.
    ConstraintBasis(const NodeFilter& filter, std::vector<ConstraintRow> rows,
                    double tolerance = 1e-6);

    const NodeFilter& filter() const { return filter_; }
    const std::vector<ConstraintRow>& rows() const { return rows_; }
    /// Q. Its rows are in range(S0).
    const VertexRows& q() const { return basis_.q; }
    const VertexColumns& columns() const { return columns_; }
    Index vertices() const { return filter_.vertices(); }
    Index rank() const { return basis_.rank(); }  ///< the rows of Q
    const std::vector<std::string>& notes() const { return basis_.notes; }
    const std::string& conflict() const { return basis_.conflict; }  ///< empty when consistent
    /// Whether it was made with this filter, targets included.
    bool made_with(const NodeFilter& filter) const;

    /// u <- S u, in parallel, with the same bits for any number of threads. `scratch` is kept by
    /// who calls in a loop, so that nothing is allocated there.
    void project(VecX& u, VecX& scratch) const;
    void project(VecX& u) const;
    bool has_targets() const;
    void targets(VecX& z) const;      ///< z
    void add_targets(VecX& u) const;  ///< u <- u + z

    /// The multiplier of each row of C for a force b - A x = C'l + (forces of the filter), which a
    /// solution leaves in range(I - S). That of a dropped row is zero.
    VecX multipliers(const VecX& force) const;

  private:
    NodeFilter filter_;
    std::vector<ConstraintRow> rows_;
    OrthonormalRows basis_;
    VertexColumns columns_;
};

}  // namespace taffeta::sparse

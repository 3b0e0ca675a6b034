#pragma once

#include <span>
#include <string>
#include <vector>

#include "taffeta/sparse/constraint_rows.h"
#include "taffeta/sparse/node_filter.h"
#include "taffeta/sparse/vertex_rows.h"

namespace taffeta::sparse {

/// An orthonormal basis Q of the constraints C x = d that (S0, z0) leaves open:
/// C S0 = R Q with Q Q' = I, and R e = d - C z0.
struct OrthonormalRows {
    VertexRows q;               ///< row k: unit, in range(S0), orthogonal to the others
    std::vector<double> value;  ///< e_k: what q_k . x must be
    std::vector<Index> source;  ///< the row of C that q_k was made from

    /// Row k of R, lower triangular and sparse: the row `source[k]`, divided by its length, is
    /// sum over s of coefficient[s] q_column[s] + pivot[k] q_k. Columns ascend.
    std::vector<Index> begin{0};
    std::vector<Index> column;
    std::vector<double> coefficient;
    std::vector<double> pivot;
    std::vector<double> length;  ///< of row k of C, before S0

    std::vector<std::string> notes;  ///< a sentence for each redundant row
    std::string conflict;            ///< about the first row that others contradict; or empty

    Index rank() const { return q.rows(); }
    /// w of R' w = t.
    void solve_transposed(std::vector<double>& t) const;
};

/// Gram-Schmidt, twice over, per group of rows that share free vertices; groups in parallel.
///
/// A row of unit length of which less than `tolerance` is left adds nothing. It is redundant when
/// its value agrees with the others to `tolerance` of the largest value, and a conflict otherwise.
OrthonormalRows orthonormalise(const NodeFilter& filter, std::span<const ConstraintRow> rows,
                               double tolerance);

}  // namespace taffeta::sparse

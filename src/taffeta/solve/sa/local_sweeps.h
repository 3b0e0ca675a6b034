#pragma once

#include <span>

#include "taffeta/solve/sa/filtered_rows.h"
#include "taffeta/solve/sa/half_rows.h"

namespace taffeta::solve::sa {

/// More sweeps of Gauss-Seidel where they are needed, forward before the way to the coarse levels and the
/// adjoint after it: on whole rows, which are copied for it.
///
/// Creases. Where a sheet is flat, its normal is soft and decoupled: one sweep does for it, and rigid
/// motions of aggregates for the rest. In a crease no direction of a vertex is soft, what is soft are
/// folds over few vertices, and those neither a sweep nor a rigid motion knows. They rule the iterations
/// of the whole sheet, though they are a tenth of it or less. A vertex tells by its diagonal block D: with
/// eigenvalues a >= b >= c,
///
///     1 / (tr D tr D^-1)  is about  c / 2a  where the normal is soft,  1/9  where D is isotropic.
///
/// Free vertices above a threshold, and their neighbours, are swept. No state: the matrix alone says
/// which.
///
/// Contact. Springs between layers couple vertices that are near on no mesh, and others in every step. The
/// sweeps over all rows know the mesh alone: they leave the rows with springs as they are, and those follow
/// here, in A with the springs. Together that is one sweep of Gauss-Seidel on A, in an order in which they
/// come last, and what the sweeps over all rows read stays for the life of the mesh. Groups of them that no
/// column couples have one colour, and are swept at the same time.
class LocalSweeps {
  public:
    /// Chooses rows by the blocks of a level, and takes them from `whole`, which differs from it in the rows
    /// of the vertices `contact` alone. `inverse`: D^-1 as SquareRows has it; rows with contact get that of
    /// `whole`. At most so many sweeps, and fewer the more rows there are. The first row whose block has
    /// no inverse, or -1.
    Index make(const FilteredRows& whole, std::span<const Index> contact, const HalfRows<3>& half,
               int most, double creased, FloatArray& inverse);
    void clear() {
        row_.clear();
        kept_.clear();
        group_begin_.clear();
        color_begin_.clear();
    }
    bool empty() const { return row_.empty(); }

    /// Sweeps on A x = b with r = b - A x, and r follows. At rows with contact r need not be known.
    void forward(const FloatArray& inverse, const FloatArray& b, FloatArray& x, FloatSpan r) const;
    /// The adjoint, which needs no residual.
    void backward(const FloatArray& inverse, const FloatArray& b, FloatArray& x) const;

    /// != 0 for the rows that sweeps over all leave alone, or nullptr.
    const char* kept() const { return kept_.empty() ? nullptr : kept_.data(); }
    /// product = A x at those rows.
    void multiply_kept(const FloatArray& x, FloatSpan product) const;

    Index rows() const { return Index(row_.size()); }
    std::size_t bytes() const;

  private:
    struct View;
    void choose(const FilteredRows& whole, const HalfRows<3>& half, const FloatArray& inverse,
                float creased);
    void color_contact(const FilteredRows& whole, Index level_rows);
    void copy_rows(const FilteredRows& whole);
    template <class Body>
    void over_rows(bool reverse, const Body& body) const;

    int sweeps_ = 0;
    std::vector<char> chosen_, kept_;
    std::vector<Index> row_;  ///< creased ones, ascending, then those with contact, by colour
    std::vector<Index>
        strip_begin_;  ///< in `row_`, for each strip of the level; the last: of contact
    std::vector<Index> group_begin_;  ///< in `row_`, for each group with contact
    std::vector<Index> color_begin_;  ///< in these groups
    std::vector<Index> begin_, column_;
    FloatArray value_;  ///< blocks row-major
};

}  // namespace taffeta::solve::sa

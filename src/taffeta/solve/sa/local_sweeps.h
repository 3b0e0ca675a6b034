#pragma once

#include "taffeta/solve/sa/filtered_rows.h"
#include "taffeta/solve/sa/half_rows.h"

namespace taffeta::solve::sa {

/// More sweeps of Gauss-Seidel where a sheet is creased, forward before the way to the coarse levels and
/// the adjoint after it.
///
/// Where a sheet is flat, its normal is soft and decoupled: one sweep does for it, and rigid motions of
/// aggregates for the rest. In a crease no direction of a vertex is soft, what is soft are folds over
/// few vertices, and those neither a sweep nor a rigid motion knows. They rule the iterations of the
/// whole sheet, though they are a tenth of it or less. A vertex tells by its diagonal block D: with
/// eigenvalues a >= b >= c,
///
///     1 / (tr D tr D^-1)  is about  c / 2a  where the normal is soft,  1/9  where D is isotropic.
///
/// Free vertices above a threshold, and their neighbours, are swept. No state: the matrix alone says
/// which.
class LocalSweeps {
  public:
    /// Chooses rows and takes them from the blocks of a level. `inverse`: D^-1 as SquareRows has it. At
    /// most so many sweeps, and fewer the more rows there are.
    void make(const FilteredRows& blocks, const HalfRows<3>& half, const FloatArray& inverse,
              int most, double creased);
    void clear() { row_.clear(); }
    bool empty() const { return row_.empty(); }

    /// Sweeps on A x = b with r = b - A x, and r follows.
    void forward(const FloatArray& inverse, FloatArray& x, FloatSpan r) const;
    /// The adjoint, which needs no residual.
    void backward(const FloatArray& inverse, const FloatArray& b, FloatArray& x) const;

    Index rows() const { return Index(row_.size()); }
    std::size_t bytes() const;

  private:
    void choose(const FilteredRows& blocks, const HalfRows<3>& half, const FloatArray& inverse,
                float creased);
    template <class Body>
    void over_rows(bool reverse, const Body& body) const;

    int sweeps_ = 0;
    std::vector<char> chosen_;
    std::vector<Index> row_;          ///< ascending
    std::vector<Index> strip_begin_;  ///< in `row_`, for each strip of the level
    std::vector<Index> begin_, column_;
    FloatArray value_;  ///< whole rows, blocks row-major
};

}  // namespace taffeta::solve::sa

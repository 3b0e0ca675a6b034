#pragma once

#include "taffeta/solve/inner_iteration.h"
#include "taffeta/solve/sa/block_rows.h"
#include "taffeta/sparse/block_matrix.h"

namespace taffeta::solve::sa {

class Hierarchy;

/// Conjugate gradients with the V-cycle, on the vectors of the finest level: in its numbering, in
/// single precision. A p follows the recurrence of p, as the last sweep knows A z.
///
/// The iterate is kept in double outside, and only its true residual counts. Where the fall of the last
/// iteration says that the next one will do, the residual is made afresh before the cycle ("residual
/// replacement", van der Vorst and Ye, SIAM J. Sci. Comput. 22, 2000), so that its norm costs a product
/// and no cycle. What rounding did to the recurrence is seen there too: where the two have parted, the
/// iteration gives up, and the method outside goes on in double.
class InnerGradients {
  public:
    /// Solves A y = r in range(S), with r, which is not zero, the true residual of what `outer` holds. False,
    /// and nothing done, where the smoother of the hierarchy knows no products, where the first of them was
    /// too far from the exact one, or where the tolerance is below 1e-6: that asks for double.
    bool run(const Hierarchy& hierarchy, const VecX& r, const InnerLimits& limits,
             OuterSystem& outer, InnerReport& report);

    /// The next run compares its first product with the exact one.
    void check_products() { product_error_ = -1; }

    std::size_t bytes() const {
        return direction_.bytes() + image_.bytes() + sum_.bytes() +
               std::size_t(step_.size()) * sizeof(double);
    }

  private:
    double error_of_product(const Hierarchy& hierarchy, OuterSystem& outer);
    /// The true residual takes the place of the recurrence. False where the two have parted.
    bool replace_residual(const Hierarchy& hierarchy, OuterSystem& outer);

    FloatArray direction_, image_;  ///< p, A p
    FloatArray sum_;                ///< of the steps since the true residual was made
    VecX step_;
    double product_error_ = -1;  ///< relative, of the first; negative: not known
    double unit_ = 1;            ///< of the residual in single precision
    sparse::Partials partials_;
};

}  // namespace taffeta::solve::sa

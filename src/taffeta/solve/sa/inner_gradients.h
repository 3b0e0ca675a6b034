#pragma once

#include "taffeta/solve/inner_iteration.h"
#include "taffeta/solve/sa/float_vectors.h"

namespace taffeta::solve::sa {

class Hierarchy;

/// Conjugate gradients with the V-cycle, on the vectors of the finest level: in its numbering, in
/// single precision. A p follows the recurrence of p, as the last sweep knows A z.
///
/// The iterate is kept in double outside, and only its true residual counts. It takes the place of the
/// recurrence ("residual replacement", van der Vorst and Ye, SIAM J. Sci. Comput. 22, 2000) after the
/// first step, which is the longest, where the fall of the last iteration says that the next one will
/// do, and in between as often as products are wrong: before the cycle, so that its norm costs a product
/// and no cycle. Two true residuals with one step between them also give the product of that step's
/// direction exactly. Where the true residual does not fall either, the iteration gives up, and the method
/// outside goes on in double.
class InnerGradients {
  public:
    /// Solves A y = r in range(S), with r, which is not zero, the true residual of what `outer` holds.
    /// False, and nothing done, where the smoother of the hierarchy knows no products, where the first of
    /// them was too far from the exact one in the last run, or where the tolerance is below 1e-6.
    bool run(const Hierarchy& hierarchy, const VecX& r, const InnerLimits& limits,
             OuterSystem& outer, InnerReport& report);

    /// The next run tries again whatever the last one found.
    void forget() { product_error_ = 0; }

  private:
    struct Vectors;
    /// Gives the steps since the last time to the iterate, and the recurrence its true residual. Returns
    /// |difference| of the two, and |true residual|.
    struct Replaced {
        double difference, norm;
    };
    Replaced replace_residual(const Hierarchy& hierarchy, const Vectors& vectors,
                              OuterSystem& outer);

    double product_error_ = 0;  ///< relative, of the first product of the last run
    double unit_ = 1;           ///< of the residual in single precision
    sparse::Partials partials_;
};

}  // namespace taffeta::solve::sa

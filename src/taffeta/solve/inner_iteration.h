#pragma once

#include "taffeta/base/types.h"

/// Conjugate gradients inside a preconditioner: in its numbering, in its precision, in its memory.
/// Around them stands a method in double that knows the system and has the last word.
namespace taffeta::solve {

/// The method around an inner iteration.
class OuterSystem {
  public:
    virtual ~OuterSystem() = default;
    virtual VecX& iterate() = 0;
    /// The true residual of the iterate, projected.
    virtual const VecX& residual() = 0;
    /// Told of each iteration; false: the caller has had enough.
    virtual bool goes_on(int iterations, double residual) = 0;
};

struct InnerLimits {
    double tolerance = 0;  ///< of sqrt(rho / zero_rho), rho = r'M^-1 r
    double zero_rho = 0;   ///< rho of the zero guess; 0: where the iteration starts
    int max_iterations = 0;
    int residual_interval = 0;  ///< iterations after which the true residual is asked for
};

struct InnerReport {
    enum class Outcome {
        converged,  ///< by the true residual
        stopped,    ///< by the caller
        gave_up     ///< rounding, the limit, or a matrix that is not positive definite
    };
    Outcome outcome = Outcome::gave_up;
    int iterations = 0;
    double residual = 0;  ///< sqrt(rho / zero_rho)
};

}  // namespace taffeta::solve

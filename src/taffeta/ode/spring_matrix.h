#pragma once

#include <memory>

#include "taffeta/ode/system.h"

/// A constant matrix in the place of Newton's, of the springs that a system stands for:
///
///     A = M + sum over springs of (alpha k + sqrt(alpha) c) (e_i - e_j)(e_i - e_j)'
///
/// once for each coordinate, so that it has a third of the non-zeros of M + beta D + alpha K and one factor
/// for three right-hand sides. It knows neither directions nor pre-stress and changes with neither x
/// nor v, hence serves for all steps of a size. For springs it is never below K of springs that are not
/// pressed, so that Newton's iteration with it contracts, but slowly for large steps.
/// [Hauth03] eq. 50, whose printed sign makes A indefinite
namespace taffeta::ode {

class SpringMatrix {
  public:
    SpringMatrix();
    ~SpringMatrix();

    /// Of this step, whose constraints are fixed; factors anew only where something has changed. Not ok,
    /// with a sentence, where the system has no springs.
    SolveReport prepare(SecondOrderSystem& system, double alpha);
    /// u in range(S) with S A u = S rhs.
    SolveReport solve(SecondOrderSystem& system, const VecX& rhs, VecX& u);

    /// Of A over the particles that are not held, zeros by structure not counted.
    long nonzeros() const;
    /// How often a factor was computed.
    int factorisations() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;  ///< made when first asked for
};

}  // namespace taffeta::ode

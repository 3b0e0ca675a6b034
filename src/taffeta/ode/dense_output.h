#pragma once

#include "taffeta/ode/system.h"

/// States between the ends of a step, for every method: the polynomial of degree five that has the x,
/// v and a of both ends (quintic Hermite), and its derivative,
///
///     x(t + s h) = sum_k over both ends of H_k(s) (x, h v, h^2 a)      v = dx/dt
///
/// With exact ends x is off by h^6 x^(6) s^3 (1 - s)^3/720 and v by O(h^5), so a method up to order
/// five loses nothing. The accelerations are M^-1 f of the ends, two forces, asked for only where a
/// step has outputs inside. [HNW93] section II.6
namespace taffeta::ode {

class DenseOutput {
  public:
    /// The step that led from `begin` to `end`; both must outlive the use. Adds what it evaluates.
    SolveReport set(SecondOrderSystem& system, const State& begin, const State& end,
                    int& force_evaluations);
    /// The state at t = begin.t + theta (end.t - begin.t), 0 <= theta <= 1: at the ends, the ends.
    void interpolate(double theta, State& out) const;

  private:
    const State* begin_ = nullptr;
    const State* end_ = nullptr;
    VecX begin_a_, end_a_, force_;
};

}  // namespace taffeta::ode

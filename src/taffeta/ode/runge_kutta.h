#pragma once

#include "taffeta/ode/method.h"
#include "taffeta/ode/tableau.h"

/// Explicit Runge-Kutta methods by their tableau, on (x, v)' = (v, M^-1 f(t, x, v)):
///
///     x_i = x + h sum_{j<i} a_ij v_j          v_i = v + h sum_{j<i} a_ij a_j
///     a_i = M^-1 f(t + c_i h, x_i, v_i)
///     x+  = x + h sum b_i v_i                 v+  = v + h sum b_i a_i
///
/// A second set of weights b_hat of lower order estimates the error of a step, h sum (b - b_hat)_i
/// (v_i, a_i). Where the last stage is the end of the step, its force serves the next step if it
/// persists. [Hauth03] eq. 19, [HNW93] section II.4
namespace taffeta::ode {

class ExplicitRungeKutta final : public ExplicitMethod {
  public:
    explicit ExplicitRungeKutta(Tableau tableau);

    StepReport step(SecondOrderSystem& system, State& state, double h) override;
    /// Order, forces and the estimate as the tableau has them.
    IntegratorProperties declared(const IntegratorProperties& by_default) const override;
    const ErrorEstimate* local_error() const override;
    bool made_to_estimate_error() const override { return !tableau_.b_hat.empty(); }
    std::vector<char> save() const override { return end_force_.save(); }
    void load(std::span<const char> bytes) override;

  private:
    /// Stage i into x_ and stage_v_[i].
    void place_stage(SecondOrderSystem& system, const State& state, double h, std::size_t i);
    void estimate(SecondOrderSystem& system, double h);

    const Tableau tableau_;
    const bool ends_at_last_stage_;
    std::vector<VecX> stage_v_, stage_a_;
    VecX x_;
    Carried end_force_;
    ErrorEstimate error_;
};

}  // namespace taffeta::ode

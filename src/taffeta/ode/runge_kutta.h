#pragma once

#include <array>

#include "taffeta/ode/method.h"

/// Explicit Runge-Kutta methods by their tableau, on (x, v)' = (v, M^-1 f(t, x, v)):
///
///     x_i = x + h sum_{j<i} a_ij v_j          v_i = v + h sum_{j<i} a_ij a_j
///     a_i = M^-1 f(t + c_i h, x_i, v_i)
///     x+  = x + h sum b_i v_i                 v+  = v + h sum b_i a_i
///
/// [Hauth03] eq. 19.
namespace taffeta::ode {

struct Tableau {
    static constexpr std::size_t most = 4;

    std::size_t stages;
    std::array<double, most> c;
    std::array<std::array<double, most>, most> a;  ///< strictly lower triangular
    std::array<double, most> b;
};

class ExplicitRungeKutta final : public ExplicitMethod {
  public:
    /// The tableau must outlive the integrator.
    explicit ExplicitRungeKutta(const Tableau& tableau) : tableau_(tableau) {}
    StepReport step(SecondOrderSystem& system, State& state, double h) override;

  private:
    const Tableau& tableau_;
    std::array<VecX, Tableau::most> stage_v_, stage_a_;
    VecX x_;
};

}  // namespace taffeta::ode

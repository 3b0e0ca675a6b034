#pragma once

#include "taffeta/ode/method.h"

/// The L-stable, stiffly accurate method of two stages and order two, g = 1 - 1/sqrt 2:
///
///     g   | g                  x_i = x + h sum_j a_ij v_j        v_i = v + h sum_j a_ij a_j
///     1   | 1-g   g            M a_i = f(t + c_i h, x_i, v_i)
///    -----+---------
///         | 1-g   g
///
/// Both stages have the matrix M + g h D + (g h)^2 K. [Alexander77]
namespace taffeta::ode {

class Sdirk2 final : public ImplicitMethod {
  public:
    using ImplicitMethod::ImplicitMethod;
    StepReport step(SecondOrderSystem& system, State& state, double h) override;

  private:
    VecX stage_v_, stage_a_;
};

}  // namespace taffeta::ode

#pragma once

#include <array>

#include "taffeta/ode/method.h"

/// The Gragg-Bulirsch-Stoer method of order eight: the step H by n = 2, 4, 6, 8 substeps h = H/n of
/// Gragg's rule on (x, v)' = F,
///
///     z_1 = z_0 + h F(z_0)      z_{m+1} = z_{m-1} + 2 h F(z_m)
///     T_{n,1} = (z_n + z_{n-1} + h F(z_n))/2
///
/// whose error is a series in h^2, extrapolated to h = 0 by Aitken and Neville,
///
///     T_{i,k+1} = T_{i,k} + (T_{i,k} - T_{i-1,k})/((n_i/n_{i-k})^2 - 1)
///
/// Four rows give order eight; the last two diagonal entries differ by the error of order six. F at
/// the start serves all rows: 21 forces a step instead of the 24 that four separate rows take.
/// Explicit, so for smooth motion and high accuracy. [Gragg65], [BulirschStoer66], [Hauth03] 2.6
namespace taffeta::ode {

class BulirschStoer final : public ExplicitMethod {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override;
    const ErrorEstimate* local_error() const override;

  private:
    static constexpr std::size_t rows = 4;
    static constexpr std::array<int, rows> substeps = {2, 4, 6, 8};

    /// T_{i,1} into row_[i].
    bool gragg(SecondOrderSystem& system, const State& state, double h, std::size_t i,
               StepReport& report);
    /// Ends a substep at t + c H that lasted `moved` H.
    void place(SecondOrderSystem& system, double c, double moved, State& at);

    std::array<State, rows> row_;
    State before_, at_, ahead_;
    VecX start_a_;
    ErrorEstimate error_;
};

}  // namespace taffeta::ode

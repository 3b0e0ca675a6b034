#pragma once

#include "taffeta/ode/method.h"
#include "taffeta/ode/multistep.h"

/// Adams methods on Y = (x, v), Y' = F = (v, M^-1 f), with p the polynomial through the last k slopes:
///
///     Bashforth   Y+ = Y + int p                          order k, one force a step
///     Moulton     Y+ = Y + int q, q through F(Y+) too     order k + 1, Newton
///     PECE        predict by Bashforth, evaluate, correct by Moulton, evaluate
///                                                         order k + 1, two forces a step
///
/// The polynomials go through the points where they are, so the order holds whatever the steps. Where a
/// step is more than 2.5 times the last they would reach too far, and where it is as much shorter they
/// know the motion too coarsely for it: then the method starts anew, by one-step methods of its order,
/// Runge-Kutta pairs and Gragg-Bulirsch-Stoer, or collocation for Moulton. The force at the start is
/// always evaluated, so contact that changed it is seen, and the last E of PECE is the next step's
/// first. PECE's error is estimated by corrector less predictor. All are for smooth motion: the stable
/// step shrinks as the order grows. [HNW93] section III.1
namespace taffeta::ode {

enum class AdamsForm { bashforth, moulton, pece };

class Adams final : public ImplicitMethod {
  public:
    Adams(AdamsForm form, std::size_t steps);

    StepReport step(SecondOrderSystem& system, State& state, double h) override;
    const ErrorEstimate* local_error() const override;
    /// A starter is more exact than what follows, so its error is no leave to grow.
    double largest_growth() const override { return started_ ? largest_ratio : 1; }
    void set_newton(const NewtonOptions& options) override;
    bool start_from(SecondOrderSystem& system, std::span<const State> past,
                    const State& now) override;
    std::vector<char> save() const override { return past_.save(); }
    void load(std::span<const char> bytes) override { past_.load(bytes); }

  private:
    static constexpr double largest_ratio = 2.5;

    StepReport formula_step(SecondOrderSystem& system, State& state, double h, StepReport report);
    /// x and v + h sum_j weight_j (v_j, a_j), over the present and the past.
    void add_slopes(const State& state, const NodeWeights& weights, std::size_t first, double h,
                    VecX& x, VecX& v) const;
    StepReport finish_mean(SecondOrderSystem& system, State& state, double h,
                           const StepReport& report);

    const AdamsForm form_;
    const std::size_t steps_;
    std::unique_ptr<Integrator> starter_;
    MultistepPast past_;
    State begin_, predicted_;
    VecX start_a_, guess_;
    ErrorEstimate error_;
    bool started_ = false;  ///< the last step was not the starter's
};

}  // namespace taffeta::ode

#pragma once

#include <functional>

#include "taffeta/ode/dense_output.h"
#include "taffeta/ode/step_control.h"

/// Runs an integrator with steps of the size that the motion needs (step_control.h).
///
/// Outputs are met exactly, by dense output within the steps, so asking for more of them changes no
/// step but the last.
namespace taffeta::ode {

/// The method for steps that adapt, where nothing else is asked for: L-stable, one Newton solve a step,
/// and its error estimate costs nothing.
constexpr const char* default_adaptive_integrator = "bdf2";

struct AdaptiveReport {
    SolveReport solve;  ///< why the run ended before its end
    long accepted = 0;
    long rejected = 0;  ///< taken back because of their error
    long failed = 0;    ///< halved because the step did not succeed
    long force_evaluations = 0, newton_iterations = 0, linear_solves = 0, linear_iterations = 0;
    double smallest_step = 0, largest_step = 0;  ///< accepted; the last, cut by the end, apart
    double largest_error = 0;                    ///< e of the accepted steps

    bool ok() const { return solve.ok(); }
};

class AdaptiveRun {
  public:
    using Output = std::function<void(const State&)>;

    /// The integrator must outlive the run. Throws bad input for options that contradict each other,
    /// and for control by Newton's iterations of a method that has none.
    AdaptiveRun(Integrator& integrator, const IntegratorProperties& properties,
                const AdaptiveOptions& options);

    /// From `state` to the last of `times`, which ascend from state.t on, with `output` at each. Throws
    /// bad input where the integrator estimates no error to control by. When it stops early, `state` is the
    /// last good one and the report says why.
    AdaptiveReport run(SecondOrderSystem& system, State& state, std::span<const double> times,
                       const Output& output);

  private:
    double first_step(SecondOrderSystem& system, const State& state, double length);
    bool give_outputs(SecondOrderSystem& system, const State& state, std::span<const double> times,
                      std::size_t& next, const Output& output);
    void count(const StepReport& step);
    void stop_too_small(const char* why, const std::string& detail);

    Integrator& integrator_;
    const AdaptiveOptions options_;
    AdaptiveReport report_;
    State begin_, output_;
    DenseOutput dense_;
    StepControl control_;
};

}  // namespace taffeta::ode

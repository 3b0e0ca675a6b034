#pragma once

#include <functional>

#include "taffeta/ode/dense_output.h"
#include "taffeta/ode/integrator.h"

/// Runs an integrator with steps of the size that the motion needs.
///
/// By error, for integrators that estimate it (`Integrator::local_error`): with the weighted mean
///
///     e = sqrt(mean over (x, v) of (error_i/(absolute + relative max(|y_i|, |y+_i|)))^2)
///
/// a step with e > 1 is taken back, and the next is h times
///
///     safety e^(-0.7/p) e_last^(0.4/p)         after an accepted step, PI control [Gustafsson91]
///     safety e^(-1/p)                          after a rejected one, and no growth right after it
///
/// for an estimate of h^p, between 1/5 and `largest_growth` times, and never more than the method
/// allows (BDF2: 2.4 times). By Newton's counts, for every implicit method: few iterations let the
/// step grow, many shrink it; accuracy is then what the convergence of Newton happens to give.
/// [Hauth03] section 3.4, which has no numbers: 3, 8, 1.5 and 1/2 are ours.
///
/// A step that fails is halved and tried again from where it began. Outputs are met exactly, by dense
/// output within the steps, so asking for more of them changes no step but the last.
namespace taffeta::ode {

/// The method for steps that adapt, where nothing else is asked for: L-stable, one Newton solve a step,
/// and its error estimate costs nothing.
constexpr const char* default_adaptive_integrator = "bdf2";

struct AdaptiveOptions {
    std::string control = "error";
    double relative_tolerance = 1e-4;
    double absolute_position = 1e-6;
    double absolute_velocity = 1e-6;
    bool per_run = false;
    double first_step = 0;
    double smallest_step = 1e-9;
    double largest_step = 0;
    double safety = 0.9;
    double largest_growth = 5;
    int grow_at = 3;
    int shrink_at = 8;
    double newton_growth = 1.5;
    double max_steps = 1e7;

    static Fields<AdaptiveOptions> fields();
};

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
    /// What is left to the end in one step, or two alike, or `wanted`.
    double fitted(double wanted, double left) const;
    double error_norm(const ErrorEstimate& error, const State& begin, const State& end) const;
    /// The factor of the next step; sets `accept`.
    double control_by_error(const State& end, double h, double length, bool& accept);
    double control_by_newton(const StepReport& step) const;
    bool give_outputs(SecondOrderSystem& system, const State& state, std::span<const double> times,
                      std::size_t& next, const Output& output);
    void count(const StepReport& step);
    bool too_small(double h, const char* why, const std::string& detail);

    Integrator& integrator_;
    const AdaptiveOptions options_;
    AdaptiveReport report_;
    State begin_, output_;
    DenseOutput dense_;
    double last_error_ = 1, last_power_ = 0, last_step_ = 0;
    bool cautious_ = false;  ///< the last try was taken back
};

}  // namespace taffeta::ode

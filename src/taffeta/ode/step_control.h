#pragma once

#include <span>
#include <vector>

#include "taffeta/ode/integrator.h"

/// How long the next step is, and whether the last one stands.
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
/// for an estimate of h^p, between 1/5 and `largest_growth` times, after a rejected step between 1/10
/// and 9/10, and never more than the method allows (BDF2: 2.4 times). By Newton's counts, for every
/// implicit method: few iterations let the step grow, many shrink it; accuracy is then what the
/// convergence of Newton happens to give.
/// [Hauth03] section 3.4, which has no numbers: 3, 8, 1.5 and 1/2 are ours.
///
/// A step that fails is halved and tried again from where it began.
namespace taffeta::ode {

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

/// Throws bad input for options that contradict each other, and for control by Newton's iterations of
/// a method that has none.
void check_adaptive(const AdaptiveOptions& options, const IntegratorProperties& properties);

/// What is tried next, from what became of the tries before: the state of the controller, and no more.
class StepControl {
  public:
    explicit StepControl(const AdaptiveOptions& options) : options_(options) {}

    /// What integrators may know of the tolerance; none where steps are controlled by Newton's counts.
    ErrorScale scale(double length) const;

    bool started() const { return wanted_ > 0; }
    /// Begins with a step of h, s.
    void start(double h);
    /// The step to try: the one that is wanted within all limits, or what is `left` to an output in one
    /// step, or in two alike.
    double step(const Integrator& integrator, double left) const;

    /// After a step of h that failed. False when the next would be too small.
    bool failed(double h);
    /// After a step of h from `begin` to `end` that succeeded: whether it stands. `length` is the time
    /// of the whole run, for tolerances `per_run`. Throws bad input where the integrator estimates no
    /// error to control by.
    bool accept(const Integrator& integrator, const StepReport& step, const State& begin,
                const State& end, double h, double length);
    /// That the step to try is below the smallest one.
    bool too_small() const { return wanted_ < options_.smallest_step; }

    double wanted() const { return wanted_; }
    double error() const { return error_; }  ///< e of the last step that was accepted

    std::vector<char> save() const;
    void load(std::span<const char> bytes);

  private:
    /// The factor of the next step; sets `stands`.
    double by_error(const Integrator& integrator, const State& begin, const State& end, double h,
                    double length, bool& stands);
    double by_newton(const StepReport& step) const;

    AdaptiveOptions options_;
    double wanted_ = 0;
    double error_ = 0, last_error_ = 1, last_power_ = 0, last_step_ = 0;
    bool cautious_ = false;  ///< the last try was taken back
};

}  // namespace taffeta::ode

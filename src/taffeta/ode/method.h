#pragma once

#include "taffeta/ode/constrained_motion.h"
#include "taffeta/ode/history.h"

/// What the integrators have in common: the state being made, its constraints, and its commit.
namespace taffeta::ode {

class Method : public Integrator {
  public:
    const VecX& acceleration() const override { return a_; }

  protected:
    /// a = M^-1 f(t, x, v), with the constraints.
    bool evaluate(SecondOrderSystem& system, double t, const VecX& x, const VecX& v, VecX& a,
                  StepReport& report);
    /// The same at the start of a step, from `carried` where that force is still the one.
    bool evaluate_start(SecondOrderSystem& system, const State& state, const Carried& carried,
                        StepReport& report);
    /// Ends the step: constraints, then `next_` becomes the state unless it is not finite.
    StepReport finish(SecondOrderSystem& system, State& state, double h, StepReport report);

    ConstrainedMotion motion_;
    State next_;
    VecX a_, f_;
};

/// Methods that only evaluate forces. Their acceleration is the mean (v1 - v)/h of the step.
class ExplicitMethod : public Method {
  protected:
    StepReport finish_explicit(SecondOrderSystem& system, State& state, double h,
                               const StepReport& report);
};

/// Methods that solve stages, by Newton or in one pass about a known state.
class ImplicitMethod : public Method {
  public:
    explicit ImplicitMethod(bool linearised) : linearised_(linearised) {}
    void set_newton(const NewtonOptions& options) override { newton_ = options; }
    void set_error_scale(const ErrorScale& scale) override { scale_ = scale; }

  protected:
    /// Solves `stage_`, at t + c h, for `a_` and adds to the report; the one pass is about `about`.
    bool solve_stage(SecondOrderSystem& system, const State& about, double c, StepReport& report,
                     const StageForecast& forecast = {});
    /// Solves (m M + d D + k K) `a_` = `rhs_`, of the matrices that were linearised last, and adds to
    /// the report.
    bool solve_linear(SecondOrderSystem& system, const Coefficients& c, double h,
                      StepReport& report);
    /// The end of a step whose last stage is its end.
    StepReport finish_at_stage(SecondOrderSystem& system, State& state, const StepReport& report);

    const bool linearised_;
    NewtonOptions newton_;
    ErrorScale scale_;
    Stage stage_;
    StageSolver solver_;
    VecX rhs_, product_;
};

/// `Entry::make` of a method without options.
template <class Made, auto... arguments>
std::unique_ptr<Integrator> make_plain(const Settings& settings) {
    read_options<NoOptions>(settings);
    return std::make_unique<Made>(arguments...);
}

}  // namespace taffeta::ode

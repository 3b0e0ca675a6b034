#include "taffeta/ode/method.h"

#include <fmt/format.h>

#include <algorithm>

namespace taffeta::ode {

namespace {

/// Adds the counts of a stage to those of its step; status and residual are the last stage's.
void add_stage(StepReport& report, const StepReport& stage) {
    report.solve = stage.solve;
    report.newton_residual = stage.newton_residual;
    report.newton_floor = std::max(report.newton_floor, stage.newton_floor);
    report.linear_solves += stage.linear_solves;
    report.linear_iterations += stage.linear_iterations;
    report.newton_iterations += stage.newton_iterations;
    report.force_evaluations += stage.force_evaluations;
    report.newton_rejected += stage.newton_rejected;
}

}  // namespace

StepReport Method::finish(SecondOrderSystem& system, State& state, double h, StepReport report) {
    motion_.impose_position(system, 1, next_.x);
    motion_.impose_velocity(system, 1, next_.v);
    if (!next_.x.allFinite() || !next_.v.allFinite()) {
        report.solve.status = SolveStatus::not_finite;
        report.solve.message = fmt::format(
            "the step of {:.3g} s from t = {:.6g} s does not end in finite numbers; a "
            "smaller step may",
            h, state.t);
        return report;
    }
    state.t += h;
    state.x.swap(next_.x);
    state.v.swap(next_.v);
    return report;
}

bool Method::evaluate(SecondOrderSystem& system, double t, const VecX& x, const VecX& v, VecX& a,
                      StepReport& report) {
    system.force(t, x, v, f_);
    ++report.force_evaluations;
    report.solve = system.solve_mass(f_, a);
    return report.ok();
}

bool Method::evaluate_start(SecondOrderSystem& system, const State& state, const Carried& carried,
                            StepReport& report) {
    const VecX* force = system.force_persists() ? carried.at(state) : nullptr;
    if (!force) return evaluate(system, state.t, state.x, state.v, a_, report);
    report.solve = system.solve_mass(*force, a_);
    return report.ok();
}

StepReport ExplicitMethod::finish_explicit(SecondOrderSystem& system, State& state, double h,
                                           const StepReport& report) {
    // After the swap in `finish`, next_ holds the state that the step began with.
    const StepReport finished = finish(system, state, h, report);
    if (finished.ok()) a_ = (state.v - next_.v) / h;
    return finished;
}

bool ImplicitMethod::solve_stage(SecondOrderSystem& system, const State& about, double c,
                                 StepReport& report, const StageForecast& forecast) {
    motion_.fit(system, c, stage_);
    const StepReport stage = linearised_
                                 ? solver_.solve_linearised(system, stage_, about.x, about.v,
                                                            newton_.linear_tolerance, a_)
                                 : solver_.solve_newton(system, stage_, newton_, a_, forecast);
    add_stage(report, stage);
    return report.ok();
}

bool ImplicitMethod::solve_linear(SecondOrderSystem& system, const Coefficients& c, double h,
                                  StepReport& report) {
    add_stage(report, solver_.solve_linear(system, c, h, rhs_, newton_.linear_tolerance, a_));
    return report.ok();
}

StepReport ImplicitMethod::finish_at_stage(SecondOrderSystem& system, State& state,
                                           const StepReport& report) {
    next_.x = stage_.xp + stage_.alpha * a_;
    next_.v = stage_.vp + stage_.beta * a_;
    return finish(system, state, stage_.h, report);
}

}  // namespace taffeta::ode

#include "taffeta/ode/method.h"

/// The trapezoidal rule on (x, v):
///
///     v+ = v + h/2 (a + a+)      x+ = x + h/2 (v + v+)      M a+ = f(t + h, x+, v+)
///
/// Second order, A-stable but not L-stable. Not symplectic itself, but conjugate to implicit
/// midpoint and equal to it on linear systems. The position takes both velocities; x+ = x + h v+
/// with this v+, as in [SOFA15], is of first order and unstable beyond h omega = 2.
/// [Hauth03], [SOFA15] section 2.2
namespace taffeta::ode {

namespace {

class Trapezoid final : public ImplicitMethod {
  public:
    using ImplicitMethod::ImplicitMethod;

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        if (!evaluate(system, state.t, state.x, state.v, start_a_, report)) return report;
        stage_.t = state.t + h;
        stage_.h = h;
        stage_.alpha = 0.25 * h * h;
        stage_.beta = 0.5 * h;
        stage_.vp = state.v + 0.5 * h * start_a_;
        stage_.xp = state.x + h * state.v + 0.25 * h * h * start_a_;
        if (!solve_stage(system, state, 1, report)) return report;
        return finish_at_stage(system, state, report);
    }

  private:
    VecX start_a_;
};

}  // namespace

extern const IntegratorEntry entry_trapezoid, entry_adams_moulton2, entry_linearised_trapezoid;

constinit const IntegratorEntry entry_trapezoid{
    .key = "trapezoid",
    .doc = "Trapezoidal rule by Newton's method: second order, A-stable. [Hauth03]",
    .properties = {.order = 2, .implicit = true, .a_stable = true, .force_evaluations = 1},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Trapezoid, false>,
};

constinit const IntegratorEntry entry_adams_moulton2{
    .key = "adams_moulton2",
    .doc = "Adams-Moulton of one step and order two: trapezoid by its other name",
    .properties = entry_trapezoid.properties,
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Trapezoid, false>,
};

constinit const IntegratorEntry entry_linearised_trapezoid{
    .key = "linearised_trapezoid",
    .doc = "Trapezoidal rule with one linear solve a step about the present state",
    .properties = {.order = 2,
                   .inexact_slopes_order = 1,
                   .implicit = true,
                   .a_stable = true,
                   .linearised = true,
                   .force_evaluations = 2},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Trapezoid, true>,
};

}  // namespace taffeta::ode

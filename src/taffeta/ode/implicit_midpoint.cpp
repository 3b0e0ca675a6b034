#include "taffeta/ode/method.h"

/// Implicit midpoint, the Gauss method of one stage:
///
///     M a = f(t + h/2, (x + x+)/2, (v + v+)/2)      v+ = v + h a      x+ = x + h (v + v+)/2
///
/// Second order, A-stable but not L-stable (R(-inf) = -1), symplectic; keeps quadratic invariants,
/// the energy of a spring among them, to rounding. [Hauth03] eq. 32. The variational method of
/// [SOFA15] section 4.2, its errata mended, is the same.
namespace taffeta::ode {

namespace {

class ImplicitMidpoint final : public ImplicitMethod {
  public:
    using ImplicitMethod::ImplicitMethod;

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        stage_.t = state.t + 0.5 * h;
        stage_.h = h;
        stage_.alpha = 0.25 * h * h;
        stage_.beta = 0.5 * h;
        stage_.vp = state.v;
        stage_.xp = state.x + 0.5 * h * state.v;
        if (!solve_stage(system, state, 0.5, report)) return report;

        next_.v = state.v + h * a_;
        next_.x = state.x + 0.5 * h * (state.v + next_.v);
        motion_.alter(1, next_.x);
        return finish(system, state, h, report);
    }
};

}  // namespace

extern const IntegratorEntry entry_implicit_midpoint, entry_linearised_implicit_midpoint;

constinit const IntegratorEntry entry_implicit_midpoint{
    .key = "implicit_midpoint",
    .doc = "Implicit midpoint by Newton's method: symplectic, A-stable. [Hauth03] eq. 32",
    .properties = {.order = 2,
                   .implicit = true,
                   .a_stable = true,
                   .symplectic = true,
                   .force_evaluations = 0},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<ImplicitMidpoint, false>,
};

constinit const IntegratorEntry entry_linearised_implicit_midpoint{
    .key = "linearised_implicit_midpoint",
    .doc = "Implicit midpoint with one linear solve a step about the present state",
    .properties = {.order = 2,
                   .inexact_slopes_order = 1,
                   .implicit = true,
                   .a_stable = true,
                   .linearised = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<ImplicitMidpoint, true>,
};

}  // namespace taffeta::ode

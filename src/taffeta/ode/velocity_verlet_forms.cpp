#include "taffeta/ode/method.h"

/// Velocity Verlet where the force depends on v, in the three forms of the literature:
///
///     x+ = x + h v + h^2/2 a(x, v)
///     lagged      v+ = v + h/2 (a(x, v) + a(x+, v))                            [Marschner23]
///     half        v+ = u + h/2 a(x+, u),  u = v + h/2 a(x, v)                  [Slides]
///     implicit    v+ = u + h/2 a+,  (M + h/2 D) a+ = f(x+, u)
///
/// Without damping all three are `velocity_verlet`. With it the first two are of order one; the last
/// solves for the damping at the end, linearised about (x+, u), and is of order two, stable for
/// h omega < 2 whatever the damping. Each evaluates its forces anew, as the one of the end is not
/// that of (x+, v+).
namespace taffeta::ode {

namespace {

enum class EndForce { lagged, half };

template <EndForce form>
class VerletForm final : public ExplicitMethod {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        if (!evaluate(system, state.t, state.x, state.v, a_, report)) return report;
        u_ = state.v + 0.5 * h * a_;
        next_.x = state.x + h * u_;
        motion_.alter(1, next_.x);
        motion_.impose_position(system, 1, next_.x);
        const VecX& at = form == EndForce::half ? u_ : state.v;
        if (!evaluate(system, state.t + h, next_.x, at, a_, report)) return report;
        next_.v = u_ + 0.5 * h * a_;
        return finish_explicit(system, state, h, report);
    }

  private:
    VecX u_;
};

class VerletImplicitDamping final : public ImplicitMethod {
  public:
    VerletImplicitDamping() : ImplicitMethod(true) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        if (!evaluate(system, state.t, state.x, state.v, a_, report)) return report;
        stage_.t = state.t + h;
        stage_.h = h;
        stage_.alpha = 0;
        stage_.beta = 0.5 * h;
        stage_.vp = state.v + 0.5 * h * a_;
        stage_.xp = state.x + h * stage_.vp;
        about_.x = stage_.xp;
        about_.v = stage_.vp;
        if (!solve_stage(system, about_, 1, report)) return report;
        return finish_at_stage(system, state, report);
    }

  private:
    State about_;
};

}  // namespace

extern const IntegratorEntry entry_velocity_verlet_lagged, entry_velocity_verlet_half,
    entry_velocity_verlet_implicit_damping;

constinit const IntegratorEntry entry_velocity_verlet_lagged{
    .key = "velocity_verlet_lagged",
    .doc = "Velocity Verlet whose second force is at the velocity of the start. [Marschner23]",
    .properties = {.order = 2, .damped_order = 1, .symplectic = true, .force_evaluations = 2},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<VerletForm<EndForce::lagged>>,
};

constinit const IntegratorEntry entry_velocity_verlet_half{
    .key = "velocity_verlet_half",
    .doc = "Velocity Verlet whose second force is at the velocity of the half step. [Slides]",
    .properties = {.order = 2, .damped_order = 1, .symplectic = true, .force_evaluations = 2},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<VerletForm<EndForce::half>>,
};

constinit const IntegratorEntry entry_velocity_verlet_implicit_damping{
    .key = "velocity_verlet_implicit_damping",
    .doc = "Velocity Verlet with one linear solve for the damping, M + h/2 D: order two with it",
    .properties = {.order = 2,
                   .implicit = true,
                   .symplectic = true,
                   .linearised = true,
                   .force_evaluations = 2},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<VerletImplicitDamping>,
};

}  // namespace taffeta::ode

#include "taffeta/ode/method.h"

/// Position Verlet, the drift-kick-drift form and adjoint of velocity Verlet:
///
///     y  = x + h/2 v
///     v+ = v + h a(t + h/2, y, v)
///     x+ = y + h/2 v+
///
/// Second order and symplectic where f does not depend on v, first order where it does, stable for
/// h omega < 2. One force evaluation a step without carrying any, so it costs the same with
/// contact. [Tuckerman92]
namespace taffeta::ode {

namespace {

class PositionVerlet final : public ExplicitMethod {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        middle_ = state.x + 0.5 * h * state.v;
        motion_.alter(0.5, middle_);
        motion_.impose_position(system, 0.5, middle_);
        if (!evaluate(system, state.t + 0.5 * h, middle_, state.v, a_, report)) return report;
        next_.v = state.v + h * a_;
        next_.x = state.x + 0.5 * h * (state.v + next_.v);
        motion_.alter(1, next_.x);
        return finish_explicit(system, state, h, report);
    }

  private:
    VecX middle_;
};

}  // namespace

extern const IntegratorEntry entry_position_verlet;
constinit const IntegratorEntry entry_position_verlet{
    .key = "position_verlet",
    .doc = "Position Verlet, drift-kick-drift: one force a step and no history. [Tuckerman92]",
    .properties = {.order = 2, .damped_order = 1, .symplectic = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<PositionVerlet>,
};

}  // namespace taffeta::ode

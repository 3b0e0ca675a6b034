#include "taffeta/ode/history.h"
#include "taffeta/ode/method.h"

/// Velocity Verlet, the kick-drift-kick form of Stoermer-Verlet:
///
///     u  = v + h/2 a(t, x)
///     x+ = x + h u
///     v+ = u + h/2 a(t + h, x+, u)
///
/// Second order and symplectic where f does not depend on v (first order where it does, since a is
/// taken at u), stable for h omega < 2: at 2 the matrix is a Jordan block and grows linearly. The
/// last force, of (x+, u), serves the next step where it persists: one evaluation a step. Else it is
/// evaluated again, at (x+, v+), which is stable for larger steps if f depends on v. [Slides],
/// [Marschner23]
namespace taffeta::ode {

namespace {

class VelocityVerlet final : public ExplicitMethod {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        if (!evaluate_start(system, state, end_force_, report)) return report;

        u_ = state.v + 0.5 * h * a_;
        next_.x = state.x + h * u_;
        motion_.alter(1, next_.x);
        motion_.impose_position(system, 1, next_.x);
        if (!evaluate(system, state.t + h, next_.x, u_, a_, report)) return report;
        next_.v = u_ + 0.5 * h * a_;

        const StepReport finished = finish_explicit(system, state, h, report);
        if (finished.ok()) {
            if (system.force_persists()) {
                end_force_.keep(state, f_);
            } else {
                end_force_.forget();
            }
        }
        return finished;
    }

    std::vector<char> save() const override { return end_force_.save(); }
    void load(std::span<const char> bytes) override { end_force_.load(bytes); }

  private:
    Carried end_force_;
    VecX u_;
};

}  // namespace

extern const IntegratorEntry entry_velocity_verlet;
constinit const IntegratorEntry entry_velocity_verlet{
    .key = "velocity_verlet",
    .doc = "Velocity Verlet, kick-drift-kick: symplectic, second order without damping. [Slides]",
    .properties = {.order = 2, .damped_order = 1, .symplectic = true, .carries_force = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<VelocityVerlet>,
};

}  // namespace taffeta::ode

#include "taffeta/ode/method.h"

/// The two symplectic Euler methods, each the other's adjoint:
///
///     A (velocity first)   v+ = v + h a(t, x, v)         x+ = x + h v+
///     B (position first)   x+ = x + h v                  v+ = v + h a(t + h, x+, v)
///
/// First order, symplectic where f does not depend on v, stable for h omega < 2. At h omega = 0.2
/// the energy of a spring stays within [0.909, 1.111] of its start. [Marschner23], [SOFA15] 2.1
namespace taffeta::ode {

namespace {

enum class First { velocity, position };

template <First first>
class SymplecticEuler final : public ExplicitMethod {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        next_ = state;
        if constexpr (first == First::position) {
            next_.x += h * state.v;
            motion_.alter(1, next_.x);
            motion_.impose_position(system, 1, next_.x);
            if (!evaluate(system, state.t + h, next_.x, state.v, a_, report)) return report;
            next_.v += h * a_;
        } else {
            if (!evaluate(system, state.t, state.x, state.v, a_, report)) return report;
            next_.v += h * a_;
            next_.x += h * next_.v;
            motion_.alter(1, next_.x);
        }
        return finish_explicit(system, state, h, report);
    }
};

}  // namespace

extern const IntegratorEntry entry_symplectic_euler_a, entry_symplectic_euler_b;

constinit const IntegratorEntry entry_symplectic_euler_a{
    .key = "symplectic_euler_a",
    .doc = "Symplectic Euler, velocity first: v+ = v + h a(x), x+ = x + h v+. [Marschner23]",
    .properties = {.order = 1, .symplectic = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<SymplecticEuler<First::velocity>>,
};

constinit const IntegratorEntry entry_symplectic_euler_b{
    .key = "symplectic_euler_b",
    .doc = "Symplectic Euler, position first: x+ = x + h v, v+ = v + h a(x+). Adjoint of A",
    .properties = {.order = 1, .symplectic = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<SymplecticEuler<First::position>>,
};

}  // namespace taffeta::ode

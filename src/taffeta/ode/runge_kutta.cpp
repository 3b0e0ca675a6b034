#include "taffeta/ode/runge_kutta.h"

namespace taffeta::ode {

StepReport ExplicitRungeKutta::step(SecondOrderSystem& system, State& state, double h) {
    StepReport report;
    motion_.begin(system, state, h);
    for (std::size_t i = 0; i < tableau_.stages; ++i) {
        x_ = state.x;
        stage_v_[i] = state.v;
        for (std::size_t j = 0; j < i; ++j) {
            const double weight = tableau_.a[i][j];
            if (weight == 0) continue;
            x_ += h * weight * stage_v_[j];
            stage_v_[i] += h * weight * stage_a_[j];
        }
        if (i > 0) {
            motion_.alter(tableau_.c[i], x_);
            motion_.impose_position(system, tableau_.c[i], x_);
            motion_.impose_velocity(system, tableau_.c[i], stage_v_[i]);
        }
        if (!evaluate(system, state.t + tableau_.c[i] * h, x_, stage_v_[i], stage_a_[i], report))
            return report;
    }

    next_.x = state.x;
    next_.v = state.v;
    for (std::size_t i = 0; i < tableau_.stages; ++i) {
        next_.x += h * tableau_.b[i] * stage_v_[i];
        next_.v += h * tableau_.b[i] * stage_a_[i];
    }
    motion_.alter(1, next_.x);
    return finish_explicit(system, state, h, report);
}

}  // namespace taffeta::ode

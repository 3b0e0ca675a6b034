#include "taffeta/ode/sdirk2.h"

#include <numbers>

namespace taffeta::ode {

StepReport Sdirk2::step(SecondOrderSystem& system, State& state, double h) {
    constexpr double g = 1 - 1 / std::numbers::sqrt2;
    StepReport report;
    motion_.begin(system, state, h);
    stage_.h = h;
    stage_.alpha = g * g * h * h;
    stage_.beta = g * h;

    stage_.t = state.t + g * h;
    stage_.vp = state.v;
    stage_.xp = state.x + g * h * state.v;
    if (!solve_stage(system, state, g, report)) return report;
    stage_a_ = a_;
    stage_v_ = stage_.vp + stage_.beta * a_;

    // x_2 = x + (1-g) h v_1 + g h v_2,  v_2 = v + (1-g) h a_1 + g h a_2
    stage_.t = state.t + h;
    stage_.vp = state.v + (1 - g) * h * stage_a_;
    stage_.xp = state.x + (1 - g) * h * stage_v_ + g * h * stage_.vp;
    if (!solve_stage(system, state, 1, report)) return report;
    return finish_at_stage(system, state, report);
}

extern const IntegratorEntry entry_sdirk2;
constinit const IntegratorEntry entry_sdirk2{
    .key = "sdirk2",
    .doc = "Singly diagonally implicit Runge-Kutta method of order two, L-stable. [Alexander77]",
    .properties = {.order = 2,
                   .implicit = true,
                   .a_stable = true,
                   .l_stable = true,
                   .force_evaluations = 0,
                   .newton_stages = 2},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Sdirk2, false>,
};

}  // namespace taffeta::ode

#include "taffeta/ode/runge_kutta.h"

#include <fmt/format.h>

#include <algorithm>

namespace taffeta::ode {

namespace {

constexpr int most_order = 8;  // of which the conditions are checked

}  // namespace

ExplicitRungeKutta::ExplicitRungeKutta(Tableau tableau)
    : tableau_(std::move(tableau)),
      ends_at_last_stage_(tableau_.ends_at_last_stage()),
      stage_v_(tableau_.stages()),
      stage_a_(tableau_.stages()) {
    if (!tableau_.b_hat.empty())
        error_.power =
            1 + std::min(order_of(tableau_, tableau_.b), order_of(tableau_, tableau_.b_hat));
}

StepReport ExplicitRungeKutta::step(SecondOrderSystem& system, State& state, double h) {
    StepReport report;
    motion_.begin(system, state, h);
    if (!evaluate_start(system, state, end_force_, report)) return report;
    stage_v_[0] = state.v;
    stage_a_[0] = a_;
    for (std::size_t i = 1; i < tableau_.stages(); ++i) {
        place_stage(system, state, h, i);
        if (!evaluate(system, state.t + tableau_.c[i] * h, x_, stage_v_[i], stage_a_[i], report))
            return report;
    }

    if (ends_at_last_stage_) {
        // The force of the end is the next step's first: not finite, it would fail one step late.
        if (!stage_a_.back().allFinite()) {
            report.solve.status = SolveStatus::not_finite;
            report.solve.message = fmt::format(
                "the force at the end of the step of {:.3g} s from t = {:.6g} s is not finite; a "
                "smaller step may have one",
                h, state.t);
            return report;
        }
        next_.x = x_;
        next_.v = stage_v_.back();
    } else {
        next_.x = state.x;
        next_.v = state.v;
        for (std::size_t i = 0; i < tableau_.stages(); ++i) {
            next_.x += h * tableau_.b[i] * stage_v_[i];
            next_.v += h * tableau_.b[i] * stage_a_[i];
        }
        motion_.alter(1, next_.x);
    }
    const StepReport finished = finish_explicit(system, state, h, report);
    if (!finished.ok()) return finished;
    estimate(system, h);
    if (ends_at_last_stage_ && system.force_persists()) {
        end_force_.keep(state, f_);
    } else {
        end_force_.forget();
    }
    return finished;
}

IntegratorProperties ExplicitRungeKutta::declared(const IntegratorProperties& by_default) const {
    IntegratorProperties p = by_default;
    p.order = order_of(tableau_, tableau_.b, most_order);
    p.estimates_error = !tableau_.b_hat.empty();
    p.carries_force = ends_at_last_stage_;
    p.force_evaluations = int(tableau_.stages()) - (ends_at_last_stage_ ? 1 : 0);
    return p;
}

const ErrorEstimate* ExplicitRungeKutta::local_error() const {
    return error_.x.size() > 0 ? &error_ : nullptr;
}

void ExplicitRungeKutta::load(std::span<const char> bytes) {
    end_force_.load(bytes);
}

void ExplicitRungeKutta::place_stage(SecondOrderSystem& system, const State& state, double h,
                                     std::size_t i) {
    x_ = state.x;
    stage_v_[i] = state.v;
    for (std::size_t j = 0; j < i; ++j) {
        const double weight = tableau_.at(i, j);
        if (weight == 0) continue;
        x_ += h * weight * stage_v_[j];
        stage_v_[i] += h * weight * stage_a_[j];
    }
    motion_.alter(tableau_.c[i], x_);
    motion_.impose_position(system, tableau_.c[i], x_);
    motion_.impose_velocity(system, tableau_.c[i], stage_v_[i]);
}

void ExplicitRungeKutta::estimate(SecondOrderSystem& system, double h) {
    if (tableau_.b_hat.empty()) return;
    error_.x.setZero(x_.size());
    error_.v.setZero(x_.size());
    for (std::size_t i = 0; i < tableau_.stages(); ++i) {
        const double weight = h * (tableau_.b[i] - tableau_.b_hat[i]);
        error_.x += weight * stage_v_[i];
        error_.v += weight * stage_a_[i];
    }
    system.project(error_.x);  // what is prescribed has no error
    system.project(error_.v);
}

}  // namespace taffeta::ode

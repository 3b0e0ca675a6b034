#include "taffeta/ode/bulirsch_stoer.h"

namespace taffeta::ode {

StepReport BulirschStoer::step(SecondOrderSystem& system, State& state, double h) {
    StepReport report;
    motion_.begin(system, state, h);
    if (!evaluate(system, state.t, state.x, state.v, start_a_, report)) return report;
    for (std::size_t i = 0; i < rows; ++i) {
        if (!gragg(system, state, h, i, report)) return report;
        // The row above holds T_{i-1,k}; going up from the newest, each becomes T_{i,k+1}.
        for (std::size_t k = i; k-- > 0;) {
            const double ratio = double(substeps[i]) / substeps[k];
            const double share = 1 / (ratio * ratio - 1);
            row_[k].x = row_[k + 1].x + share * (row_[k + 1].x - row_[k].x);
            row_[k].v = row_[k + 1].v + share * (row_[k + 1].v - row_[k].v);
        }
    }

    next_.x = row_[0].x;
    next_.v = row_[0].v;
    const StepReport finished = finish_explicit(system, state, h, report);
    if (!finished.ok()) return finished;
    error_.x = row_[0].x - row_[1].x;
    error_.v = row_[0].v - row_[1].v;
    error_.power = 2 * int(rows) - 1;
    system.project(error_.x);  // what is prescribed has no error
    system.project(error_.v);
    return finished;
}

const ErrorEstimate* BulirschStoer::local_error() const {
    return error_.x.size() > 0 ? &error_ : nullptr;
}

bool BulirschStoer::gragg(SecondOrderSystem& system, const State& state, double h, std::size_t i,
                          StepReport& report) {
    const int n = substeps[i];
    const double step = h / n;
    before_ = state;
    at_.x = state.x + step * state.v;
    at_.v = state.v + step * start_a_;
    place(system, 1.0 / n, 1.0 / n, at_);
    for (int m = 1; m <= n; ++m) {
        if (!evaluate(system, state.t + m * step, at_.x, at_.v, a_, report)) return false;
        if (m == n) break;
        ahead_.x = before_.x + 2 * step * at_.v;
        ahead_.v = before_.v + 2 * step * a_;
        place(system, double(m + 1) / n, 2.0 / n, ahead_);
        std::swap(before_, at_);
        std::swap(at_, ahead_);
    }
    row_[i].x = 0.5 * (at_.x + before_.x + step * at_.v);
    row_[i].v = 0.5 * (at_.v + before_.v + step * a_);
    motion_.alter(0.5 / n, row_[i].x);
    return true;
}

void BulirschStoer::place(SecondOrderSystem& system, double c, double moved, State& at) {
    motion_.alter(moved, at.x);
    motion_.impose_position(system, c, at.x);
    motion_.impose_velocity(system, c, at.v);
}

extern const IntegratorEntry entry_bulirsch_stoer;
constinit const IntegratorEntry entry_bulirsch_stoer{
    .key = "bulirsch_stoer",
    .doc = "Gragg's rule by 2, 4, 6 and 8 substeps, extrapolated: order eight. [Hauth03] 2.6",
    .properties = {.order = 8, .estimates_error = true, .force_evaluations = 21},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<BulirschStoer>,
};

}  // namespace taffeta::ode

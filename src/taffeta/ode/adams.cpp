#include "taffeta/ode/adams.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/ode/multistep_start.h"

namespace taffeta::ode {

Adams::Adams(AdamsForm form, std::size_t steps)
    : ImplicitMethod(false),
      form_(form),
      steps_(steps),
      starter_(form == AdamsForm::moulton
                   ? implicit_starter(int(steps) + 1)
                   : explicit_starter(int(steps) + (form == AdamsForm::pece ? 1 : 0))),
      past_(steps - 1, MultistepPast::Of::slopes) {}

void Adams::set_newton(const NewtonOptions& options) {
    ImplicitMethod::set_newton(options);
    starter_->set_newton(options);
}

StepReport Adams::step(SecondOrderSystem& system, State& state, double h) {
    StepReport report;
    motion_.begin(system, state, h);
    begin_ = state;
    if (!evaluate(system, state.t, state.x, state.v, start_a_, report)) return report;
    if (!start_a_
             .allFinite()) {  // it would stay in the past, whatever the starter makes of the step
        report.solve.status = SolveStatus::not_finite;
        report.solve.message = fmt::format("the force at t = {:.6g} s is not finite", state.t);
        return report;
    }
    const bool continued = past_.belongs_to(system, state) && h <= largest_ratio * past_[0].h &&
                           past_[0].h <= largest_ratio * h;
    const bool full = continued && past_.count() == steps_ - 1;
    if (full) {
        report = formula_step(system, state, h, report);
    } else {
        const StepReport start = starter_->step(system, state, h);
        add_counts(report, start);
        if (report.ok()) a_ = starter_->acceleration();
    }
    if (!report.ok()) return report;
    started_ = full;
    past_.add(system, continued, begin_, start_a_, state, h);
    return report;
}

StepReport Adams::formula_step(SecondOrderSystem& system, State& state, double h,
                               StepReport report) {
    // 1, then 0, then the past
    const NodeWeights before = past_.places(h);
    NodeWeights nodes{1, 0};
    for (std::size_t i = 0; i + 1 < steps_; ++i)
        nodes[i + 2] = before[i];
    const NodeWeights inside = integration_weights(Nodes(nodes).first(steps_ + 1), 1);
    const NodeWeights outside = integration_weights(Nodes(nodes).subspan(1, steps_), 1);

    if (form_ == AdamsForm::moulton) {
        // v+ = vp + g a+,  x+ = x + g v+ + ..,  g = h w_0
        const double g = h * inside[0];
        stage_.t = state.t + h;
        stage_.h = h;
        stage_.alpha = g * g;
        stage_.beta = g;
        stage_.xp = state.x;
        stage_.vp = state.v;
        add_slopes(state, inside, 1, h, stage_.xp, stage_.vp);
        stage_.xp += g * stage_.vp;
        // Newton begins where Bashforth leads.
        predicted_.x = state.x;
        predicted_.v = state.v;
        add_slopes(state, outside, 0, h, predicted_.x, predicted_.v);
        guess_ = (predicted_.v - stage_.vp) / g;
        if (!solve_stage(system, state, 1, report, {.guess = &guess_})) return report;
        return finish_at_stage(system, state, report);
    }

    next_.x = state.x;
    next_.v = state.v;
    add_slopes(state, outside, 0, h, next_.x, next_.v);
    motion_.alter(1, next_.x);
    if (form_ == AdamsForm::bashforth) return finish_mean(system, state, h, report);

    motion_.impose_position(system, 1, next_.x);
    motion_.impose_velocity(system, 1, next_.v);
    if (!evaluate(system, state.t + h, next_.x, next_.v, a_, report)) return report;
    predicted_ = next_;
    next_.x = state.x + h * inside[0] * predicted_.v;
    next_.v = state.v + h * inside[0] * a_;
    add_slopes(state, inside, 1, h, next_.x, next_.v);
    motion_.alter(1, next_.x);
    const StepReport finished = finish_mean(system, state, h, report);
    if (!finished.ok()) return finished;
    error_.x = state.x - predicted_.x;
    error_.v = state.v - predicted_.v;
    error_.power = int(steps_) + 1;
    system.project(error_.x);  // what is prescribed has no error
    system.project(error_.v);
    return finished;
}

void Adams::add_slopes(const State& state, const NodeWeights& weights, std::size_t first, double h,
                       VecX& x, VecX& v) const {
    x += h * weights[first] * state.v;
    v += h * weights[first] * start_a_;
    for (std::size_t i = 0; i + 1 < steps_; ++i) {
        x += h * weights[first + 1 + i] * past_[i].v;
        v += h * weights[first + 1 + i] * past_[i].a;
    }
}

StepReport Adams::finish_mean(SecondOrderSystem& system, State& state, double h,
                              const StepReport& report) {
    const StepReport finished = finish(system, state, h, report);
    if (finished.ok()) a_ = (state.v - begin_.v) / h;
    return finished;
}

const ErrorEstimate* Adams::local_error() const {
    if (form_ != AdamsForm::pece) return nullptr;
    if (!started_) return starter_->local_error();
    return error_.x.size() > 0 ? &error_ : nullptr;
}

bool Adams::start_from(SecondOrderSystem& system, std::span<const State> past, const State& now) {
    return start_past(system, past, now, past_, [&](const State& at, VecX& a, StepReport& report) {
        return evaluate(system, at.t, at.x, at.v, a, report);
    });
}

namespace {

template <AdamsForm form, std::size_t steps>
constexpr IntegratorEntry adams_entry(std::string_view key, std::string_view doc) {
    const int order = int(steps) + (form == AdamsForm::bashforth ? 0 : 1);
    return {.key = key,
            .doc = doc,
            .properties = {.order = order,
                           .implicit = form == AdamsForm::moulton,
                           .estimates_error = form == AdamsForm::pece,
                           .force_evaluations = form == AdamsForm::pece ? 2 : 1,
                           .starting_steps = std::max(1, int(steps) - 1)},
            .fields = &field_table<NoOptions>,
            .make = &make_plain<Adams, form, steps>};
}

}  // namespace

extern const IntegratorEntry entry_adams_bashforth2, entry_adams_bashforth3, entry_adams_bashforth4,
    entry_adams_bashforth5, entry_adams_moulton3, entry_adams_moulton4, entry_adams_moulton5,
    entry_adams_moulton6, entry_adams_pece3, entry_adams_pece4, entry_adams_pece5,
    entry_adams_pece6;

constinit const IntegratorEntry entry_adams_bashforth2 = adams_entry<AdamsForm::bashforth, 2>(
    "adams_bashforth2",
    "Adams-Bashforth of two steps and order two, one force a step. [Hauth03] section 2.4");
constinit const IntegratorEntry entry_adams_bashforth3 = adams_entry<AdamsForm::bashforth, 3>(
    "adams_bashforth3",
    "Adams-Bashforth of three steps and order three, one force a step. [Hauth03] section 2.4");
constinit const IntegratorEntry entry_adams_bashforth4 = adams_entry<AdamsForm::bashforth, 4>(
    "adams_bashforth4",
    "Adams-Bashforth of four steps and order four, one force a step. [Hauth03] section 2.4");
constinit const IntegratorEntry entry_adams_bashforth5 = adams_entry<AdamsForm::bashforth, 5>(
    "adams_bashforth5",
    "Adams-Bashforth of five steps and order five, one force a step. [Hauth03] section 2.4");
constinit const IntegratorEntry entry_adams_moulton3 = adams_entry<AdamsForm::moulton, 2>(
    "adams_moulton3",
    "Adams-Moulton of two steps and order three by Newton's method. [Hauth03] section 2.4");
constinit const IntegratorEntry entry_adams_moulton4 = adams_entry<AdamsForm::moulton, 3>(
    "adams_moulton4",
    "Adams-Moulton of three steps and order four by Newton's method. [Hauth03] section 2.4");
constinit const IntegratorEntry entry_adams_moulton5 = adams_entry<AdamsForm::moulton, 4>(
    "adams_moulton5",
    "Adams-Moulton of four steps and order five by Newton's method. [Hauth03] section 2.4");
constinit const IntegratorEntry entry_adams_moulton6 = adams_entry<AdamsForm::moulton, 5>(
    "adams_moulton6",
    "Adams-Moulton of five steps and order six by Newton's method. [Hauth03] section 2.4");
constinit const IntegratorEntry entry_adams_pece3 = adams_entry<AdamsForm::pece, 2>(
    "adams_pece3",
    "Adams of two steps and order three, predicted and corrected: two forces a step");
constinit const IntegratorEntry entry_adams_pece4 = adams_entry<AdamsForm::pece, 3>(
    "adams_pece4",
    "Adams of three steps and order four, predicted and corrected: two forces a step");
constinit const IntegratorEntry entry_adams_pece5 = adams_entry<AdamsForm::pece, 4>(
    "adams_pece5",
    "Adams of four steps and order five, predicted and corrected: two forces a step");
constinit const IntegratorEntry entry_adams_pece6 = adams_entry<AdamsForm::pece, 5>(
    "adams_pece6", "Adams of five steps and order six, predicted and corrected: two forces a step");

}  // namespace taffeta::ode

#include "taffeta/ode/history.h"
#include "taffeta/ode/sdirk2.h"

/// Implicit-explicit methods: springs implicit at the price of one linear solve with M + c^2 K, the
/// rest explicit. [EEH00], [AscherRuuthWetton95]
///
/// With K = -df/dx frozen at the start of the step the force is split as
///
///     f(t, x, v) = -K x  +  (f(t, x, v) + K x)
///                  implicit   explicit: damping, gravity, the nonlinear rest of the springs
///
///     imex_euler    M (v+ - v)/h = f(t, x, v) - K (x+ - x)                  x+ = x + h v+
///     imex_bdf2     M (v+ - vp)/c = (1 + w) f_n - w f_{n-1} - K (x+ - (1 + w) x_n + w x_{n-1})
///                   x+ = xp + c v+
///
/// where w = h/h' is the ratio to the last step, vp, xp and c are BDF2's (bdf2.cpp), and both sides of
/// the split are taken with the K of this step, so that the order is two whatever K is. Without
/// damping and on linear springs the two are backward Euler and BDF2, stable for every step. Damping
/// is explicit and limits the step: h d/m < 2 and less. BDF2 starts, and starts again as described
/// there, with a step of linearised SDIRK2, which is of order two.
namespace taffeta::ode {

namespace {

class ImexEuler final : public ImplicitMethod {
  public:
    ImexEuler() : ImplicitMethod(true) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        stage_.t = state.t;
        stage_.h = h;
        stage_.alpha = h * h;
        stage_.beta = 0;
        stage_.vp = state.v;
        stage_.xp = state.x + h * state.v;
        if (!solve_stage(system, state, 1, report)) return report;
        next_.v = state.v + h * a_;
        next_.x = stage_.xp + h * h * a_;
        return finish(system, state, h, report);
    }
};

class ImexBdf2 final : public ImplicitMethod {
  public:
    ImexBdf2() : ImplicitMethod(true), starter_(true) {}

    void set_newton(const NewtonOptions& options) override {
        ImplicitMethod::set_newton(options);
        starter_.set_newton(options);
    }

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        const bool follows = same_state(state, end_) && h <= largest_ratio * h_;
        motion_.begin(system, state, h);
        begin_ = state;
        const StepReport report =
            follows ? difference_step(system, state, h) : starting_step(system, state, h);
        if (!report.ok()) return report;
        past_ = begin_;
        motion_.alter(1, past_.x);  // the alteration is no velocity
        motion_.replace_forbidden(system, state.v, past_.v);
        past_f_.swap(f_);
        end_ = state;
        h_ = h;
        return report;
    }

    std::vector<char> save() const override {
        if (end_.x.size() == 0) return {};
        return HistoryWriter().put(h_).put(past_).put(past_f_).put(end_).take();
    }

    void load(std::span<const char> bytes) override {
        end_ = {};
        if (!bytes.empty()) HistoryReader(bytes).get(h_).get(past_).get(past_f_).get(end_);
    }

  private:
    static constexpr double largest_ratio = 2.4;

    StepReport starting_step(SecondOrderSystem& system, State& state, double h) {
        system.force(state.t, state.x, state.v, f_);
        StepReport report = starter_.step(system, state, h);
        ++report.force_evaluations;
        if (report.ok()) a_ = starter_.acceleration();
        return report;
    }

    StepReport difference_step(SecondOrderSystem& system, State& state, double h) {
        const double w = h / h_;
        const double last = (1 + w) * (1 + w) / (1 + 2 * w), before = w * w / (1 + 2 * w);
        const double gamma = h * (1 + w) / (1 + 2 * w);
        StepReport report;
        stage_.t = state.t + h;
        stage_.h = h;
        stage_.alpha = gamma * gamma;
        stage_.beta = gamma;
        stage_.vp = last * state.v - before * past_.v;
        stage_.xp = last * state.x - before * past_.x + gamma * stage_.vp;
        motion_.fit(system, 1, stage_);

        // rhs = (1 + w) f_n - w f_{n-1} - K (xp - (1 + w) x_n + w x_{n-1})
        system.linearize(state.t, state.x, state.v, &f_);
        ++report.force_evaluations;
        difference_ = stage_.xp - (1 + w) * state.x + w * past_.x;
        system.apply({.m = 0, .d = 0, .k = 1}, difference_, product_);
        rhs_ = (1 + w) * f_ - w * past_f_ - product_;
        if (!solve_linear(system, {.m = 1, .d = 0, .k = stage_.alpha}, h, report)) return report;
        return finish_at_stage(system, state, report);
    }

    Sdirk2 starter_;
    State begin_;   ///< of the present step
    State past_;    ///< one step before `end_`
    State end_;     ///< of the last step
    double h_ = 0;  ///< of the last step
    VecX past_f_;   ///< f of `past_`
    VecX difference_;
};

}  // namespace

extern const IntegratorEntry entry_imex_euler, entry_imex_bdf2;

constinit const IntegratorEntry entry_imex_euler{
    .key = "imex_euler",
    .doc = "Springs by backward Euler, linearised; damping and the rest explicit. [EEH00]",
    .properties = {.order = 1, .implicit = true, .stable_undamped = true, .linearised = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<ImexEuler>,
};

constinit const IntegratorEntry entry_imex_bdf2{
    .key = "imex_bdf2",
    .doc =
        "Springs by BDF2, linearised; damping and the rest extrapolated (SBDF2). "
        "[AscherRuuthWetton95]",
    .properties = {.order = 2, .implicit = true, .stable_undamped = true, .linearised = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<ImexBdf2>,
};

}  // namespace taffeta::ode

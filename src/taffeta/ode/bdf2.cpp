#include "taffeta/ode/history.h"
#include "taffeta/ode/sdirk2.h"

/// The backward differentiation formula of two steps, with w = h/h' the ratio to the last step:
///
///     Y+ = (1 + w)^2/(1 + 2w) Y - w^2/(1 + 2w) Y- + h (1 + w)/(1 + 2w) F(t + h, Y+),  Y = (x, v)
///
/// which is 4/3, 1/3 and 2/3 for equal steps. Second order, L-stable for equal steps, zero-stable
/// for w < 1 + sqrt 2. It starts, and starts again where the step grows faster or the state was
/// moved from outside, with a step of SDIRK2, which is L-stable and of order two as well.
///
/// The local error is estimated by an explicit predictor from the same past and the last slope,
///
///     Y* = Y + (1 + w) h F(t, Y) - w^2 (Y - Y-)
///     Y(t + h) - Y* =  (1 + w)/(6 w) h^3 Y'''
///     Y(t + h) - Y+ = -(1 + w)^2/(6 w (1 + 2w)) h^3 Y'''
///
/// (leading terms), hence Y(t + h) - Y+ = -(1 + w)/(2 + 3w) (Y+ - Y*). After one pass the slope is
/// known too roughly for this: the linearised form has no estimate. A first step is compared with
/// backward Euler's, x + h v+ and v + h a+, of power two: cautious, and soon forgotten.
/// [Hauth03] eq. 36, table 3
namespace taffeta::ode {

namespace {

class Bdf2 final : public ImplicitMethod {
  public:
    explicit Bdf2(bool linearised) : ImplicitMethod(linearised), starter_(linearised) {}

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
        if (!linearised_) {
            estimate(system, state, h, follows);
            if (!follows) rate_ = 1;
            end_a_ = a_;
            system.project(end_a_);  // what a constraint asked for once is no tendency
        }
        past_ = begin_;
        motion_.alter(1, past_.x);  // the alteration is no velocity
        motion_.replace_forbidden(system, state.v, past_.v);
        end_ = state;
        h_ = h;
        return report;
    }

    const ErrorEstimate* local_error() const override {
        return error_.x.size() > 0 ? &error_ : nullptr;
    }
    double largest_growth() const override { return largest_ratio; }

    bool start_from(SecondOrderSystem& system, std::span<const State> past,
                    const State& now) override {
        StepReport report;
        if (past.empty() || !evaluate(system, now.t, now.x, now.v, end_a_, report)) return false;
        system.project(end_a_);
        past_ = past.back();
        end_ = now;
        h_ = now.t - past_.t;
        rate_ = 1;
        return true;
    }

    std::vector<char> save() const override {
        if (end_.x.size() == 0) return {};
        return HistoryWriter().put(h_).put(past_).put(end_).put(end_a_).put(rate_).take();
    }

    void load(std::span<const char> bytes) override {
        end_ = {};
        if (!bytes.empty())
            HistoryReader(bytes).get(h_).get(past_).get(end_).get(end_a_).get(rate_);
    }

  private:
    static constexpr double largest_ratio = 2.4;
    static constexpr double newton_share = 0.1;  ///< of the tolerance, for the error of Newton

    /// Of the step that began at begin_, whose past is still in place.
    void estimate(SecondOrderSystem& system, const State& state, double h, bool follows) {
        if (follows) {
            const double w = h / h_, share = (1 + w) / (2 + 3 * w);
            const double slope = (1 + w) * h, before = w * w;
            error_.x =
                share * (state.x - (begin_.x + slope * begin_.v - before * (begin_.x - past_.x)));
            error_.v = share * (state.v - predicted_v_);
        } else {
            error_.x = state.x - (begin_.x + h * state.v);
            error_.v = state.v - (begin_.v + h * a_);
        }
        error_.power = follows ? 3 : 2;
        system.project(error_.x);  // what is prescribed has no error
        system.project(error_.v);
    }

    StepReport starting_step(SecondOrderSystem& system, State& state, double h) {
        const StepReport report = starter_.step(system, state, h);
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
        if (linearised_) {
            if (!solve_stage(system, state, 1, report)) return report;
            return finish_at_stage(system, state, report);
        }
        // v* is as good a guess of v+ as the estimate is small.
        predicted_v_ = state.v + ((1 + w) * h) * end_a_ - (w * w) * (state.v - past_.v);
        guess_ = (predicted_v_ - stage_.vp) / gamma;
        StageForecast forecast{.guess = &guess_};
        double rate = rate_;  // a step that fails leaves no trace
        if (scale_) forecast = {&guess_, &scale_, newton_share, &rate};
        if (!solve_stage(system, state, 1, report, forecast)) return report;
        const StepReport finished = finish_at_stage(system, state, report);
        if (finished.ok()) rate_ = rate;
        return finished;
    }

    Sdirk2 starter_;
    State begin_;  ///< of the present step
    State past_;   ///< one step before `end_`
    State end_;    ///< of the last step
    VecX end_a_;   ///< slope of v at `end_`
    VecX predicted_v_, guess_;
    double rate_ = 1;  ///< of Newton's changes, see StageForecast
    double h_ = 0;     ///< of the last step
    ErrorEstimate error_;
};

}  // namespace

extern const IntegratorEntry entry_bdf2, entry_linearised_bdf2;

constinit const IntegratorEntry entry_bdf2{
    .key = "bdf2",
    .doc = "BDF of order two with variable steps by Newton's method, L-stable. [Hauth03] table 3",
    .properties = {.order = 2,
                   .implicit = true,
                   .a_stable = true,
                   .l_stable = true,
                   .estimates_error = true,
                   .force_evaluations = 0},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Bdf2, false>,
};

constinit const IntegratorEntry entry_linearised_bdf2{
    .key = "linearised_bdf2",
    .doc = "BDF of order two with one linear solve a step about the present state",
    .properties = {.order = 2,
                   .inexact_slopes_order = 1,
                   .implicit = true,
                   .a_stable = true,
                   .l_stable = true,
                   .linearised = true},
    .fields = &field_table<NoOptions>,
    .make = &make_plain<Bdf2, true>,
};

}  // namespace taffeta::ode

#include <cmath>

#include "taffeta/ode/method.h"
#include "taffeta/ode/multistep_start.h"

/// Backward differentiation formulas of k = 3 to 6 steps on Y = (x, v), Y' = F:
///
///     sum_{j=0..k} alpha_j Y_{1-j} = h F(t + h, Y+),     alpha_j = l_j'(t + h) h
///
/// the derivative of the polynomial through the new and the last k points. Order k. L-stable in the
/// sector A(86, 73, 52, 18 degrees), so for stiff damped motion; an undamped vibration of moderate
/// h omega grows: for k = 3 up to 1.0456 times a step at h omega = 1.14. Never for elastic bodies
/// without damping, which BDF2 suits. The steps are equal: zero-stability with changing steps allows
/// little for k > 2, so where the step changes by more than a thousandth, or the past is not the
/// state's, k - 1 steps of collocation of that order follow. Within the thousandth the coefficients
/// follow the points. [Hauth03] eq. 34 and table 3, [HairerWanner96] section V.2
namespace taffeta::ode {

namespace {

class Bdf final : public ImplicitMethod {
  public:
    explicit Bdf(std::size_t steps)
        : ImplicitMethod(false),
          steps_(steps),
          starter_(implicit_starter(int(steps))),
          past_(steps - 1, MultistepPast::Of::points) {}

    void set_newton(const NewtonOptions& options) override {
        ImplicitMethod::set_newton(options);
        starter_->set_newton(options);
    }

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        motion_.begin(system, state, h);
        begin_ = state;
        const bool continued = past_.belongs_to(system, state);
        const StepReport report = continued && equal_steps(h) ? difference_step(system, state, h)
                                                              : starting_step(system, state, h);
        if (!report.ok()) return report;
        past_.add(system, continued, begin_, a_, state, h);
        past_.alter(motion_);
        return report;
    }

    bool start_from(SecondOrderSystem& system, std::span<const State> past,
                    const State& now) override {
        return start_past(system, past, now, past_,
                          [](const State&, VecX&, StepReport&) { return true; });
    }

    std::vector<char> save() const override { return past_.save(); }
    void load(std::span<const char> bytes) override { past_.load(bytes); }

  private:
    bool equal_steps(double h) const {
        if (past_.count() < steps_ - 1) return false;
        for (std::size_t i = 0; i + 1 < steps_; ++i)
            if (std::abs(past_[i].h - h) > 1e-3 * h) return false;
        return true;
    }

    StepReport starting_step(SecondOrderSystem& system, State& state, double h) {
        const StepReport report = starter_->step(system, state, h);
        if (report.ok()) a_ = starter_->acceleration();
        return report;
    }

    StepReport difference_step(SecondOrderSystem& system, State& state, double h) {
        const NodeWeights before = past_.places(h);
        NodeWeights nodes{1, 0};
        for (std::size_t i = 0; i + 1 < steps_; ++i)
            nodes[i + 2] = before[i];
        const NodeWeights alpha = derivative_weights(Nodes(nodes).first(steps_ + 1));

        // Y+ = Y - sum_{j>1} alpha_j/alpha_0 (Y_{1-j} - Y) + g F+,  g = h/alpha_0: with the sum of
        // all alpha_j zero, differences lose fewer digits than the coefficients of up to 7.5.
        const double g = h / alpha[0];
        StepReport report;
        stage_.t = state.t + h;
        stage_.h = h;
        stage_.alpha = g * g;
        stage_.beta = g;
        stage_.xp = state.x;
        stage_.vp = state.v;
        for (std::size_t i = 0; i + 1 < steps_; ++i) {
            stage_.xp -= alpha[i + 2] / alpha[0] * (past_[i].x - state.x);
            stage_.vp -= alpha[i + 2] / alpha[0] * (past_[i].v - state.v);
        }
        stage_.xp += g * stage_.vp;

        // Newton begins where the polynomial through the last k points leads.
        const NodeWeights ahead = continuation_weights(Nodes(nodes).subspan(1, steps_));
        guess_ = ahead[0] * state.v;
        for (std::size_t i = 0; i + 1 < steps_; ++i)
            guess_ += ahead[i + 1] * past_[i].v;
        guess_ = (guess_ - stage_.vp) / g;
        if (!solve_stage(system, state, 1, report, {.guess = &guess_})) return report;
        return finish_at_stage(system, state, report);
    }

    const std::size_t steps_;
    std::unique_ptr<Integrator> starter_;
    MultistepPast past_;
    State begin_;
    VecX guess_;
};

template <std::size_t steps>
constexpr IntegratorEntry bdf_entry(std::string_view key, std::string_view doc) {
    return {.key = key,
            .doc = doc,
            .properties = {.order = int(steps),
                           .implicit = true,
                           .stiffly_stable = true,
                           .force_evaluations = 0,
                           .starting_steps = int(steps) - 1},
            .fields = &field_table<NoOptions>,
            .make = &make_plain<Bdf, steps>};
}

}  // namespace

extern const IntegratorEntry entry_bdf3, entry_bdf4, entry_bdf5, entry_bdf6;

constinit const IntegratorEntry entry_bdf3 = bdf_entry<3>(
    "bdf3",
    "BDF of order three, equal steps: for damped motion, vibrations grow. [Hauth03] table 3");
constinit const IntegratorEntry entry_bdf4 = bdf_entry<4>(
    "bdf4",
    "BDF of order four, equal steps: for damped motion, vibrations grow. [Hauth03] table 3");
constinit const IntegratorEntry entry_bdf5 = bdf_entry<5>(
    "bdf5",
    "BDF of order five, equal steps: for damped motion, vibrations grow. [Hauth03] table 3");
constinit const IntegratorEntry entry_bdf6 = bdf_entry<6>(
    "bdf6", "BDF of order six, equal steps: for damped motion, vibrations grow. [Hauth03] table 3");

}  // namespace taffeta::ode

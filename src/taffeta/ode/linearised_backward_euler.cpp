#include "taffeta/ode/stage.h"

/// Backward Euler with one linear solve a step about the present state: the method of [BW98]
/// eq. 6 and of [TJM15] section 3. It is one Newton iteration from (x, v).
namespace taffeta::ode {

namespace {

class LinearisedBackwardEuler final : public Integrator {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        stage_.t = state.t + h;
        stage_.h = h;
        stage_.alpha = h * h;
        stage_.beta = h;
        stage_.vp = state.v;
        stage_.xp = state.x + h * state.v;
        if (const VecX* y = system.position_alteration()) stage_.xp += *y;

        const StepReport report = solver_.solve_linearised(system, stage_, state.x, state.v,
                                                           newton_.linear_tolerance, a_);
        if (!report.ok()) return report;
        state.x = stage_.xp + stage_.alpha * a_;
        state.v = stage_.vp + stage_.beta * a_;
        state.t = stage_.t;
        return report;
    }

    const VecX& acceleration() const override { return a_; }
    void set_newton(const NewtonOptions& options) override { newton_ = options; }

  private:
    NewtonOptions newton_;
    Stage stage_;
    StageSolver solver_;
    VecX a_;
};

}  // namespace

extern const IntegratorEntry entry_linearised_backward_euler;
constinit const IntegratorEntry entry_linearised_backward_euler{
    .key = "linearised_backward_euler",
    .doc = "Backward Euler with one linear solve a step, as [BW98] eq. 6 and [TJM15]",
    .properties =
        {.order = 1, .implicit = true, .a_stable = true, .l_stable = true, .linearised = true},
    .fields = [] { return field_table<NoOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        read_options<NoOptions>(settings);
        return std::make_unique<LinearisedBackwardEuler>();
    },
};

}  // namespace taffeta::ode

#include "taffeta/ode/stage.h"

/// Backward Euler, v1 = v + h a, x1 = x + h v1 + y, solved by Newton to the given tolerance.
/// First order, L-stable. y is the position alteration of [BW98] section 6, usually zero.
namespace taffeta::ode {

namespace {

class BackwardEuler final : public Integrator {
  public:
    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        stage_.t = state.t + h;
        stage_.h = h;
        stage_.alpha = h * h;
        stage_.beta = h;
        stage_.vp = state.v;
        stage_.xp = state.x + h * state.v;
        if (const VecX* y = system.position_alteration()) stage_.xp += *y;

        const StepReport report = solver_.solve_newton(system, stage_, newton_, a_);
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

extern const IntegratorEntry entry_backward_euler, entry_bdf1, entry_adams_moulton1;

namespace {

constexpr IntegratorEntry backward_euler_entry(std::string_view key, std::string_view doc) {
    return {.key = key,
            .doc = doc,
            .properties = {.order = 1,
                           .implicit = true,
                           .a_stable = true,
                           .l_stable = true,
                           .force_evaluations = 0},
            .fields = [] { return field_table<NoOptions>(); },
            .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
                read_options<NoOptions>(settings);
                return std::make_unique<BackwardEuler>();
            }};
}

}  // namespace

constinit const IntegratorEntry entry_backward_euler = backward_euler_entry(
    "backward_euler",
    "Backward Euler by Newton's method: first order, L-stable. [Hauth03] section 2");
constinit const IntegratorEntry entry_bdf1 =
    backward_euler_entry("bdf1", "BDF of order one: backward_euler by its other name");
constinit const IntegratorEntry entry_adams_moulton1 = backward_euler_entry(
    "adams_moulton1", "Adams-Moulton of order one: backward_euler by its other name");

}  // namespace taffeta::ode

#include <cmath>

#include "taffeta/ode/history.h"
#include "taffeta/ode/method.h"
#include "taffeta/ode/rayleigh.h"

/// SOFA's NewmarkImplicitSolver as it runs, for comparison with it: Newmark's method (newmark.cpp) with
/// one linear solve, which carries a from step to step. With D_R = r_M M + r_K K,
///
///     (M + g h (D + D_R) + b h^2 K) a+ = f(x, v) - K (xp - x) - D (vp - v) - D_R vp
///     xp = x + h v + h^2 (1/2 - b) a,  vp = v + h (1 - g) a        x+ = xp + b h^2 a+,  v+ = vp + g h a+
///
/// The first a is M^-1 f without D_R v, as there: with Rayleigh damping the order is one because of
/// it. For b = 1/2 and D_R = 0 the term D (vp - v) is left out, as there. Other than there, a state
/// that was moved starts anew, and forces that depend on time are taken at t + h. [SOFA15] section 3
namespace taffeta::ode {

namespace {

struct SofaNewmarkOptions {
    double beta = 0.25;
    double gamma = 0.5;
    double velocity_damping = 0;
    double rayleigh_mass = 0;
    double rayleigh_stiffness = 0;

    static Fields<SofaNewmarkOptions> fields() {
        return with_rayleigh<SofaNewmarkOptions>(
            {{"beta", &SofaNewmarkOptions::beta,
              "weight of the new acceleration in the position, dimensionless", between(0, 1)},
             {"gamma", &SofaNewmarkOptions::gamma, "weight of the new acceleration in the velocity",
              between(0, 1)},
             {"velocity_damping", &SofaNewmarkOptions::velocity_damping,
              "v is multiplied by exp(-h times this) after the step, 1/s", at_least(0)}});
    }
};

class SofaNewmark final : public ImplicitMethod {
  public:
    explicit SofaNewmark(const SofaNewmarkOptions& options)
        : ImplicitMethod(true), options_(options) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        const double beta = options_.beta, gamma = options_.gamma;
        const double r_M = options_.rayleigh_mass, r_K = options_.rayleigh_stiffness;
        StepReport report;
        motion_.begin(system, state, h);
        if (const VecX* carried = end_a_.at(state)) {
            start_a_ = *carried;
        } else if (!evaluate(system, state.t, state.x, state.v, start_a_, report)) {
            return report;
        }

        stage_.h = h;
        stage_.alpha = beta * h * h;
        stage_.beta = gamma * h;
        stage_.xp = state.x + h * state.v + (0.5 - beta) * h * h * start_a_;
        stage_.vp = state.v + (1 - gamma) * h * start_a_;
        motion_.fit(system, 1, stage_);

        // rhs = f - K (xp - x) - D (vp - v) - (r_M M + r_K K) vp
        system.linearize(state.t + h, state.x, state.v, &f_);
        ++report.force_evaluations;
        const bool drops = r_M == 0 && r_K == 0 && beta == 0.5;
        rhs_ = f_;
        subtract(system, {.m = 0, .d = 0, .k = 1}, stage_.xp - state.x);
        if (!drops) subtract(system, {.m = 0, .d = 1, .k = 0}, stage_.vp - state.v);
        subtract(system, {.m = r_M, .d = 0, .k = r_K}, stage_.vp);
        const Coefficients c{
            .m = 1 + stage_.beta * r_M, .d = stage_.beta, .k = stage_.alpha + stage_.beta * r_K};
        if (!solve_linear(system, c, h, report)) return report;

        next_.x = stage_.xp + stage_.alpha * a_;
        next_.v = stage_.vp + stage_.beta * a_;
        if (options_.velocity_damping > 0) next_.v *= std::exp(-h * options_.velocity_damping);
        const StepReport finished = finish(system, state, h, report);
        if (!finished.ok()) return finished;
        new_a_ = a_;
        system.project(new_a_);  // what a constraint asked for once is no tendency
        end_a_.keep(state, new_a_);
        return finished;
    }

    /// With Rayleigh damping the first a makes the order one, and the motion is another anyway.
    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        const double beta = options_.beta, gamma = options_.gamma;
        IntegratorProperties p = by_default;
        p.other_motion = options_.rayleigh_mass != 0 || options_.rayleigh_stiffness != 0 ||
                         options_.velocity_damping != 0;
        p.order = gamma == 0.5 && !p.other_motion ? 2 : 1;
        p.exact_in_free_fall = true;  // a+ = a
        // With beta = 1/2 it drops a term of D.
        const bool drops = beta == 0.5;
        if (drops) p.damped_order = 1;
        p.a_stable = gamma >= 0.5 && 2 * beta >= gamma && !drops;
        p.stiffly_stable = drops;
        return p;
    }

    std::vector<char> save() const override { return end_a_.save(); }
    void load(std::span<const char> bytes) override { end_a_.load(bytes); }

  private:
    template <class Expression>
    void subtract(SecondOrderSystem& system, const Coefficients& c, const Expression& u) {
        if (c.m == 0 && c.d == 0 && c.k == 0) return;
        difference_ = u;
        system.apply(c, difference_, product_);
        rhs_ -= product_;
    }

    const SofaNewmarkOptions options_;
    Carried end_a_;
    VecX start_a_, new_a_, difference_;
};

}  // namespace

extern const IntegratorEntry entry_sofa_newmark;
constinit const IntegratorEntry entry_sofa_newmark{
    .key = "sofa_newmark",
    .doc =
        "SOFA's NewmarkImplicitSolver: one linear solve, carries its acceleration. [SOFA15] "
        "section 3",
    .properties = {.order = 2,
                   .inexact_slopes_order = 1,
                   .implicit = true,
                   .a_stable = true,
                   .linearised = true},
    .fields = &field_table<SofaNewmarkOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<SofaNewmark>(read_options<SofaNewmarkOptions>(settings));
    },
};

}  // namespace taffeta::ode

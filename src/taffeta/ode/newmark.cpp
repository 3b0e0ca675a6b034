#include "taffeta/ode/history.h"
#include "taffeta/ode/method.h"
#include "taffeta/ode/rayleigh.h"

/// Newmark's family, which carries the acceleration a of the last step where the force persists:
///
///     x+ = x + h v + h^2 ((1/2 - beta) a + beta a+)
///     v+ = v + h ((1 - gamma) a + gamma a+)              M a+ = f(t + h, x+, v+)
///
/// Second order for gamma = 1/2, else first. With gamma = 1/2: beta = 1/4 is the trapezoidal rule,
/// unconditionally stable as every beta >= 1/4; beta = 1/6 (linear acceleration) is stable for
/// h omega < 2 sqrt 3; 1/12 for sqrt 6 (error of fourth order on springs); 0 for 2, which is
/// velocity Verlet with the damping solved. The first a is M^-1 f with all damping in it: without
/// it the order falls to one. After one pass a+ is not quite M^-1 f, so the linearised form always
/// evaluates a anew. Rayleigh damping is part of f. [SOFA15] section 3
namespace taffeta::ode {

namespace {

struct NewmarkOptions {
    double beta = 0.25;
    double gamma = 0.5;
    double rayleigh_mass = 0;
    double rayleigh_stiffness = 0;

    static Fields<NewmarkOptions> fields() {
        return with_rayleigh<NewmarkOptions>({
            {"beta", &NewmarkOptions::beta,
             "weight of the new acceleration in the position, dimensionless", between(0, 1)},
            {"gamma", &NewmarkOptions::gamma,
             "weight of the new acceleration in the velocity; above 1/2 damps, at first order",
             between(0.5, 1)},
        });
    }
};

struct CentralDifferenceOptions {
    double rayleigh_mass = 0;

    static Fields<CentralDifferenceOptions> fields() {
        return {{"rayleigh_mass", &CentralDifferenceOptions::rayleigh_mass,
                 "damping in multiples of M, 1/s; slows rigid motion too", at_least(0)}};
    }
};

class Newmark final : public ImplicitMethod {
  public:
    Newmark(const NewmarkOptions& options, bool linearised)
        : ImplicitMethod(linearised),
          beta_(options.beta),
          gamma_(options.gamma),
          damping_(options.rayleigh_mass, options.rayleigh_stiffness) {}

    StepReport step(SecondOrderSystem& plain, State& state, double h) override {
        SecondOrderSystem& system = damping_.around(plain);
        StepReport report;
        motion_.begin(system, state, h);
        const bool carries = !linearised_ && system.force_persists();
        const VecX* carried = carries ? end_a_.at(state) : nullptr;
        if (carried) {
            start_a_ = *carried;
        } else if (!evaluate(system, state.t, state.x, state.v, start_a_, report)) {
            return report;
        }

        stage_.t = state.t + h;
        stage_.h = h;
        stage_.alpha = beta_ * h * h;
        stage_.beta = gamma_ * h;
        stage_.xp = state.x + h * state.v + (0.5 - beta_) * h * h * start_a_;
        stage_.vp = state.v + (1 - gamma_) * h * start_a_;
        if (!solve_stage(system, state, 1, report)) return report;
        const StepReport finished = finish_at_stage(system, state, report);
        if (!finished.ok()) return finished;
        if (carries) {
            end_a_.keep(state, a_);
        } else {
            end_a_.forget();
        }
        return finished;
    }

    /// Undamped: symplectic for gamma = 1/2 only where that makes it velocity Verlet, beta = 0.
    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        IntegratorProperties p = by_default;
        p.order = gamma_ == 0.5 ? 2 : 1;
        p.exact_in_free_fall = true;  // a+ = a
        p.a_stable = 2 * beta_ >= gamma_;
        p.symplectic = beta_ == 0 && gamma_ == 0.5 && !damping_.damps();
        p.other_motion = damping_.damps();
        return p;
    }

    std::vector<char> save() const override { return end_a_.save(); }
    void load(std::span<const char> bytes) override { end_a_.load(bytes); }

  private:
    const double beta_, gamma_;
    RayleighSystem damping_;
    Carried end_a_;
    VecX start_a_;
};

template <bool linearised>
std::unique_ptr<Integrator> make(const Settings& settings) {
    return std::make_unique<Newmark>(read_options<NewmarkOptions>(settings), linearised);
}

}  // namespace

extern const IntegratorEntry entry_newmark, entry_linearised_newmark, entry_central_difference;

constinit const IntegratorEntry entry_newmark{
    .key = "newmark",
    .doc =
        "Newmark's method by Newton's; the defaults are the average acceleration. [SOFA15] "
        "section 3",
    .properties = {.order = 2,
                   .implicit = true,
                   .a_stable = true,
                   .carries_force = true,
                   .force_evaluations = 0},
    .fields = &field_table<NewmarkOptions>,
    .make = &make<false>,
};

constinit const IntegratorEntry entry_linearised_newmark{
    .key = "linearised_newmark",
    .doc =
        "Newmark's method with one linear solve a step about the present state. [SOFA15] "
        "section 3",
    .properties = {.order = 2,
                   .inexact_slopes_order = 1,
                   .implicit = true,
                   .a_stable = true,
                   .linearised = true,
                   .force_evaluations = 2},
    .fields = &field_table<NewmarkOptions>,
    .make = &make<true>,
};

constinit const IntegratorEntry entry_central_difference{
    .key = "central_difference",
    .doc =
        "Newmark's method for beta = 0, gamma = 1/2: velocity Verlet with the damping solved, "
        "of order two with damping too",
    .properties = {.order = 2,
                   .implicit = true,
                   .symplectic = true,
                   .carries_force = true,
                   .force_evaluations = 0},
    .fields = &field_table<CentralDifferenceOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        const auto options = read_options<CentralDifferenceOptions>(settings);
        return std::make_unique<Newmark>(
            NewmarkOptions{.beta = 0, .gamma = 0.5, .rayleigh_mass = options.rayleigh_mass}, false);
    },
};

}  // namespace taffeta::ode

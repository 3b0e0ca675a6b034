#include "taffeta/ode/history.h"
#include "taffeta/ode/method.h"
#include "taffeta/ode/rayleigh.h"

/// Generalised-alpha: Newmark's formulas with the equation of motion between the ends of the step,
///
///     M ((1 - am) a+ + am a) = f(t + (1 - af) h, (1 - af) x+ + af x, (1 - af) v+ + af v)
///     gamma = 1/2 - am + af,   beta = (1 - am + af)^2 / 4
///
/// second order, A-stable, and damping high frequencies by a chosen factor a step:
///
///     [ChungHulbert93]   am = (2 r - 1)/(r + 1), af = r/(r + 1): spectral radius r at infinity
///     [HHT77]            am = 0, af = alpha in [0, 1/3]
///
/// Here a is no M^-1 f(t, x, v): it stands for the time t + (am - af) h, so where the step changes
/// it is moved there along the slope (a+ - a)/h; without this the order falls to one. Rayleigh
/// damping is part of f.
namespace taffeta::ode {

namespace {

struct Weights {
    double am = 0, af = 0;
};

class GeneralisedAlpha final : public ImplicitMethod {
  public:
    GeneralisedAlpha(const Weights& weights, double r_M, double r_K)
        : ImplicitMethod(false),
          am_(weights.am),
          af_(weights.af),
          beta_(0.25 * (1 - am_ + af_) * (1 - am_ + af_)),
          gamma_(0.5 - am_ + af_),
          damping_(r_M, r_K) {}

    StepReport step(SecondOrderSystem& plain, State& state, double h) override {
        SecondOrderSystem& system = damping_.around(plain);
        StepReport report;
        motion_.begin(system, state, h);
        if (same_state(state, end_)) {
            start_a_ = end_a_;
            if (h != h_) start_a_ += (am_ - af_) * (h - h_) * slope_;
        } else if (!evaluate(system, state.t, state.x, state.v, start_a_, report)) {
            return report;
        }

        // Unknown of the stage: A = (1 - am) a+ + am a, hence a+ = (A - am a)/(1 - am).
        const double part = 1 - af_, share = 1 / (1 - am_);
        stage_.t = state.t + part * h;
        stage_.h = h;
        stage_.alpha = part * beta_ * share * h * h;
        stage_.beta = part * gamma_ * share * h;
        stage_.xp = state.x + part * h * state.v +
                    part * (0.5 - beta_ - beta_ * am_ * share) * h * h * start_a_;
        stage_.vp = state.v + part * (1 - gamma_ - gamma_ * am_ * share) * h * start_a_;
        if (!solve_stage(system, state, part, report)) return report;

        new_a_ = share * (a_ - am_ * start_a_);
        next_.x = state.x + h * state.v + h * h * ((0.5 - beta_) * start_a_ + beta_ * new_a_);
        next_.v = state.v + h * ((1 - gamma_) * start_a_ + gamma_ * new_a_);
        motion_.alter(1, next_.x);
        const StepReport finished = finish(system, state, h, report);
        if (!finished.ok()) return finished;
        slope_ = (new_a_ - start_a_) / h;
        system.project(slope_);
        system.project(new_a_);  // what a constraint asked for once is no tendency
        end_a_.swap(new_a_);
        end_ = state;
        h_ = h;
        return finished;
    }

    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        IntegratorProperties p = by_default;
        p.other_motion = damping_.damps();
        return p;
    }

    std::vector<char> save() const override {
        if (end_.x.size() == 0) return {};
        return HistoryWriter().put(h_).put(end_).put(end_a_).put(slope_).take();
    }

    void load(std::span<const char> bytes) override {
        end_ = {};
        if (!bytes.empty()) HistoryReader(bytes).get(h_).get(end_).get(end_a_).get(slope_);
    }

  private:
    const double am_, af_, beta_, gamma_;
    RayleighSystem damping_;
    State end_;           ///< of the last step
    double h_ = 0;        ///< of the last step
    VecX end_a_, slope_;  ///< a of the last step and (a+ - a)/h over it
    VecX start_a_, new_a_;
};

struct GeneralisedAlphaOptions {
    double rho_infinity = 0.8;
    double rayleigh_mass = 0;
    double rayleigh_stiffness = 0;

    static Fields<GeneralisedAlphaOptions> fields() {
        return with_rayleigh<GeneralisedAlphaOptions>(
            {{"rho_infinity", &GeneralisedAlphaOptions::rho_infinity,
              "factor a step on infinitely fast vibrations; 1: none is damped, 0: all are gone",
              between(0, 1)}});
    }
};

struct HhtOptions {
    double alpha = 0.05;
    double rayleigh_mass = 0;
    double rayleigh_stiffness = 0;

    static Fields<HhtOptions> fields() {
        return with_rayleigh<HhtOptions>(
            {{"alpha", &HhtOptions::alpha,
              "share of the old state in the force; 0 is the trapezoidal rule",
              between(0, 1.0 / 3)}});
    }
};

}  // namespace

extern const IntegratorEntry entry_generalised_alpha, entry_hht_alpha;

constinit const IntegratorEntry entry_generalised_alpha{
    .key = "generalised_alpha",
    .doc = "Generalised-alpha with chosen damping of high frequencies. [ChungHulbert93]",
    .properties = {.order = 2, .implicit = true, .a_stable = true, .force_evaluations = 0},
    .fields = &field_table<GeneralisedAlphaOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        const auto options = read_options<GeneralisedAlphaOptions>(settings);
        const double r = options.rho_infinity;
        return std::make_unique<GeneralisedAlpha>(
            Weights{.am = (2 * r - 1) / (r + 1), .af = r / (r + 1)}, options.rayleigh_mass,
            options.rayleigh_stiffness);
    },
};

constinit const IntegratorEntry entry_hht_alpha{
    .key = "hht_alpha",
    .doc = "Hilber-Hughes-Taylor alpha: the old state has a share in the force. [HHT77]",
    .properties = {.order = 2, .implicit = true, .a_stable = true, .force_evaluations = 0},
    .fields = &field_table<HhtOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        const auto options = read_options<HhtOptions>(settings);
        return std::make_unique<GeneralisedAlpha>(Weights{.am = 0, .af = options.alpha},
                                                  options.rayleigh_mass,
                                                  options.rayleigh_stiffness);
    },
};

}  // namespace taffeta::ode

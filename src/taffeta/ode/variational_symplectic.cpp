#include "taffeta/ode/method.h"
#include "taffeta/ode/rayleigh.h"

/// The variational methods of [SOFA15] section 4 on the momentum p = M v, with their errata mended:
///
///     explicit    v+ = M^-1 (h f(x) + p) - h r_M v       p+ = M v+       x+ = x + h v+
///
///     implicit    M u = p + h/2 (f(y) - D_R u)           y = x + h/2 u   D_R = r_M M + r_K K
///                 p+ = M u + h/2 (f(y) - D_R u)          x+ = x + h u
///
/// The explicit one is symplectic Euler with a mass damping: first order, stable for h omega < 2.
/// As printed, with twice the velocity and without the h, it is not consistent. The implicit one is
/// the midpoint rule: second order with damping too, A-stable, symplectic without; the energy of a
/// spring stays to rounding. As printed p+ lost K.
///
/// `sofa_variational_symplectic` is what SOFA runs: the implicit form with all of the damping in u,
///
///     M u = p + h/2 f(y) - h D_R u                        p+ = M u + h/2 f(y)
///
/// and hence of first order where r_M or r_K damps, or the explicit form, which knows r_M only. It
/// reports the velocity p/M; SOFA shows u.
namespace taffeta::ode {

namespace {

struct MassDamping {
    double rayleigh_mass = 0;

    static Fields<MassDamping> fields() {
        return {{"rayleigh_mass", &MassDamping::rayleigh_mass,
                 "damping in multiples of M, 1/s; slows rigid motion too", at_least(0)}};
    }
};

class VariationalExplicit final : public ExplicitMethod {
  public:
    explicit VariationalExplicit(const MassDamping& options) : r_M_(options.rayleigh_mass) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        if (!evaluate(system, state.t, state.x, state.v, a_, report)) return report;
        next_.v = state.v + h * a_;
        if (r_M_ > 0) next_.v -= h * r_M_ * state.v;
        motion_.impose_velocity(system, 1, next_.v);
        next_.x = state.x + h * next_.v;
        motion_.alter(1, next_.x);
        return finish_explicit(system, state, h, report);
    }

    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        IntegratorProperties p = by_default;
        p.order = p.force_evaluations = 1;
        p.implicit = p.a_stable = false;
        p.symplectic = r_M_ == 0;
        p.other_motion = r_M_ != 0;
        return p;
    }

  private:
    const double r_M_;
};

/// Where the damping is: half in u and half in p+, or all in u.
enum class DampingAt { both, solve };

class VariationalImplicit final : public ImplicitMethod {
  public:
    VariationalImplicit(double r_M, double r_K, DampingAt place)
        : ImplicitMethod(false),
          place_(place),
          damping_(place == DampingAt::both ? r_M : 2 * r_M,
                   place == DampingAt::both ? r_K : 2 * r_K),
          damps_(r_M > 0 || r_K > 0) {}

    StepReport step(SecondOrderSystem& plain, State& state, double h) override {
        SecondOrderSystem& system = damping_.around(plain);
        StepReport report;
        motion_.begin(system, state, h);
        stage_.t = state.t + 0.5 * h;
        stage_.h = h;
        stage_.alpha = 0.25 * h * h;
        stage_.beta = 0.5 * h;
        stage_.vp = state.v;
        stage_.xp = state.x + 0.5 * h * state.v;
        if (!solve_stage(system, state, 0.5, report)) return report;

        middle_v_ = state.v + 0.5 * h * a_;
        next_.v = middle_v_ + 0.5 * h * a_;
        if (damps_ && place_ == DampingAt::solve) {
            // a = M^-1 (f - 2 D_R u) of the stage, and only f is to be in p+.
            damping_.apply_damping(middle_v_, f_);
            report.solve = system.solve_mass(f_, lost_);
            if (!report.ok()) return report;
            system.project(lost_);
            next_.v += 0.5 * h * lost_;
        }
        next_.x = state.x + h * middle_v_;
        motion_.alter(1, next_.x);
        return finish(system, state, h, report);
    }

    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        IntegratorProperties p = by_default;
        p.other_motion = damps_;
        if (damps_) p.symplectic = false;
        if (damps_ && place_ == DampingAt::solve) p.order = 1;
        return p;
    }

  private:
    const DampingAt place_;
    RayleighSystem damping_;
    const bool damps_;
    VecX middle_v_, lost_;
};

struct SofaVariationalOptions {
    bool explicit_integration = false;
    double rayleigh_mass = 0;
    double rayleigh_stiffness = 0;

    static Fields<SofaVariationalOptions> fields() {
        return with_rayleigh<SofaVariationalOptions>(
            {{"explicit_integration", &SofaVariationalOptions::explicit_integration,
              "the explicit form, which ignores rayleigh_stiffness"}});
    }
};

}  // namespace

extern const IntegratorEntry entry_variational_symplectic_explicit,
    entry_variational_symplectic_implicit, entry_sofa_variational_symplectic;

constinit const IntegratorEntry entry_variational_symplectic_explicit{
    .key = "variational_symplectic_explicit",
    .doc = "Variational method on the momentum, explicit form. [SOFA15] section 4.1, mended",
    .properties = {.order = 1, .symplectic = true},
    .fields = &field_table<MassDamping>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<VariationalExplicit>(read_options<MassDamping>(settings));
    },
};

constinit const IntegratorEntry entry_variational_symplectic_implicit{
    .key = "variational_symplectic_implicit",
    .doc = "Variational method on the momentum, implicit form. [SOFA15] section 4.2, mended",
    .properties = {.order = 2,
                   .implicit = true,
                   .a_stable = true,
                   .symplectic = true,
                   .force_evaluations = 0},
    .fields = &field_table<RayleighOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        const auto options = read_options<RayleighOptions>(settings);
        return std::make_unique<VariationalImplicit>(options.rayleigh_mass,
                                                     options.rayleigh_stiffness, DampingAt::both);
    },
};

constinit const IntegratorEntry entry_sofa_variational_symplectic{
    .key = "sofa_variational_symplectic",
    .doc =
        "SOFA's VariationalSymplecticSolver: Rayleigh damping at first order. [SOFA15] section 4",
    .properties = {.order = 2,
                   .implicit = true,
                   .a_stable = true,
                   .symplectic = true,
                   .force_evaluations = 0},
    .fields = &field_table<SofaVariationalOptions>,
    .make = [](const Settings& settings) -> std::unique_ptr<Integrator> {
        const auto options = read_options<SofaVariationalOptions>(settings);
        if (options.explicit_integration)
            return std::make_unique<VariationalExplicit>(
                MassDamping{.rayleigh_mass = options.rayleigh_mass});
        return std::make_unique<VariationalImplicit>(options.rayleigh_mass,
                                                     options.rayleigh_stiffness, DampingAt::solve);
    },
};

}  // namespace taffeta::ode

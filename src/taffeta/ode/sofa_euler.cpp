#include <cmath>

#include "taffeta/ode/method.h"
#include "taffeta/ode/rayleigh.h"

/// Euler and central-difference solvers of SOFA as it runs them, for comparison with it, with
/// K = -df/dx, D = -df/dv and the K of the start of the step. [SOFA15] describes them, with errata.
///
///     sofa_euler_implicit      A dv = h (f - r_M M v - (s h + r_K) K v)       v+ = v + dv
///                              A = (1 + s h r_M) M + s h D + s h (s h + r_K) K
///                              x+ = x + h v+                  (printed with v: undamped, wrong)
///         s = 1, or 1/2 with `trapezoidal`: as x+ takes v+ alone this is of order one and stable
///         only for h omega < 2. `first_order`: (M + s h K) v+ = f, for M v = f(x).
///     sofa_central_difference  v+ = ((1/h - r_M/2) v + a(x))/(1/h + r_M/2)    x+ = x + h v+
///         where v stands for t - h/2. Given the velocity at t the order is one; who gives
///         v - h/2 a gets the second.
///     sofa_euler_explicit      v+ = v + h a(x, v), x+ = x + h v+, or x + h v if not `symplectic`
///
/// Forces that depend on time are taken at t + h where the method is implicit.
namespace taffeta::ode {

namespace {

struct SofaImplicitOptions {
    bool trapezoidal = false;
    bool first_order = false;
    double velocity_damping = 0;
    double rayleigh_mass = 0;
    double rayleigh_stiffness = 0;

    static Fields<SofaImplicitOptions> fields() {
        return with_rayleigh<SofaImplicitOptions>(
            {{"trapezoidal", &SofaImplicitOptions::trapezoidal,
              "SOFA's trapezoidalScheme: of first order, stable for h omega < 2"},
             {"first_order", &SofaImplicitOptions::first_order,
              "solve M v = f(x), motion without inertia"},
             {"velocity_damping", &SofaImplicitOptions::velocity_damping,
              "v is multiplied by exp(-h times this) after the step, 1/s", at_least(0)}});
    }
};

class SofaEulerImplicit final : public ImplicitMethod {
  public:
    explicit SofaEulerImplicit(const SofaImplicitOptions& options)
        : ImplicitMethod(true), options_(options) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        system.linearize(state.t + h, state.x, state.v, &f_);
        report.force_evaluations = 1;
        const bool solved = options_.first_order ? solve_velocity(system, state, h, report)
                                                 : solve_acceleration(system, state, h, report);
        if (!solved) return report;
        motion_.impose_velocity(system, 1, next_.v);
        next_.x = state.x + h * next_.v;
        motion_.alter(1, next_.x);
        if (options_.velocity_damping > 0) next_.v *= std::exp(-h * options_.velocity_damping);
        return finish(system, state, h, report);
    }

    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        IntegratorProperties p = by_default;
        if (options_.trapezoidal) {
            p.a_stable = p.l_stable = false;
            p.rate_order = 2;  // the positions alone are those of backward Euler
        }
        p.other_motion = options_.first_order || options_.velocity_damping != 0 ||
                         options_.rayleigh_mass != 0 || options_.rayleigh_stiffness != 0;
        return p;
    }

  private:
    bool solve_acceleration(SecondOrderSystem& system, const State& state, double h,
                            StepReport& report) {
        const double part = (options_.trapezoidal ? 0.5 : 1) * h;
        const double r_M = options_.rayleigh_mass, r_K = options_.rayleigh_stiffness;
        system.apply({.m = r_M, .d = 0, .k = part + r_K}, state.v, product_);
        rhs_ = f_ - product_;
        const Coefficients c{.m = 1 + part * r_M, .d = part, .k = part * (part + r_K)};
        if (!solve_linear(system, c, h, report)) return false;
        next_.v = state.v + h * a_;
        return true;
    }

    bool solve_velocity(SecondOrderSystem& system, const State& state, double h,
                        StepReport& report) {
        const Coefficients c{.m = 1, .d = 0, .k = (options_.trapezoidal ? 0.5 : 1) * h};
        next_.v.setZero(system.size());
        motion_.impose_velocity(system, 1, next_.v);  // v1 in the forbidden directions
        system.apply(c, next_.v, product_);
        rhs_ = f_ - product_;
        a_.setZero(system.size());
        report.solve = system.solve(c, rhs_, newton_.linear_tolerance, a_);
        report.linear_solves = 1;
        report.linear_iterations = report.solve.iterations;
        next_.v += a_;
        a_ = (next_.v - state.v) / h;
        return report.ok();
    }

    const SofaImplicitOptions options_;
};

struct SofaCentralOptions {
    double rayleigh_mass = 0;

    static Fields<SofaCentralOptions> fields() {
        return {{"rayleigh_mass", &SofaCentralOptions::rayleigh_mass,
                 "damping in multiples of M, 1/s; slows rigid motion too", at_least(0)}};
    }
};

class SofaCentralDifference final : public ExplicitMethod {
  public:
    explicit SofaCentralDifference(const SofaCentralOptions& options)
        : r_M_(options.rayleigh_mass) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        if (!evaluate(system, state.t, state.x, state.v, a_, report)) return report;
        next_.v = ((1 - 0.5 * h * r_M_) * state.v + h * a_) / (1 + 0.5 * h * r_M_);
        motion_.impose_velocity(system, 1, next_.v);
        next_.x = state.x + h * next_.v;
        motion_.alter(1, next_.x);
        return finish_explicit(system, state, h, report);
    }

    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        IntegratorProperties p = by_default;
        p.other_motion = r_M_ != 0;
        if (r_M_ != 0) p.symplectic = false;
        return p;
    }

  private:
    const double r_M_;
};

struct SofaExplicitOptions {
    bool symplectic = true;

    static Fields<SofaExplicitOptions> fields() {
        return {{"symplectic", &SofaExplicitOptions::symplectic,
                 "x+ takes the new velocity; with the old one springs gain energy"}};
    }
};

class SofaEulerExplicit final : public ExplicitMethod {
  public:
    explicit SofaEulerExplicit(const SofaExplicitOptions& options)
        : symplectic_(options.symplectic) {}

    StepReport step(SecondOrderSystem& system, State& state, double h) override {
        StepReport report;
        motion_.begin(system, state, h);
        if (!evaluate(system, state.t, state.x, state.v, a_, report)) return report;
        next_.v = state.v + h * a_;
        next_.x = state.x + h * (symplectic_ ? next_.v : state.v);
        motion_.alter(1, next_.x);
        return finish_explicit(system, state, h, report);
    }

    IntegratorProperties declared(const IntegratorProperties& by_default) const override {
        IntegratorProperties p = by_default;
        p.symplectic = symplectic_;
        return p;
    }

  private:
    const bool symplectic_;
};

template <class Made, class Options>
std::unique_ptr<Integrator> make_sofa(const Settings& settings) {
    return std::make_unique<Made>(read_options<Options>(settings));
}

}  // namespace

extern const IntegratorEntry entry_sofa_euler_implicit, entry_sofa_central_difference,
    entry_sofa_euler_explicit;

constinit const IntegratorEntry entry_sofa_euler_implicit{
    .key = "sofa_euler_implicit",
    .doc = "SOFA's EulerImplicitSolver: one linear solve, Rayleigh damping. [SOFA15] section 2.2",
    .properties =
        {.order = 1, .implicit = true, .a_stable = true, .l_stable = true, .linearised = true},
    .fields = &field_table<SofaImplicitOptions>,
    .make = &make_sofa<SofaEulerImplicit, SofaImplicitOptions>,
};

constinit const IntegratorEntry entry_sofa_central_difference{
    .key = "sofa_central_difference",
    .doc = "SOFA's CentralDifferenceSolver, whose velocity is that of half a step ago. [SOFA15] 6",
    .properties = {.order = 1, .symplectic = true},
    .fields = &field_table<SofaCentralOptions>,
    .make = &make_sofa<SofaCentralDifference, SofaCentralOptions>,
};

constinit const IntegratorEntry entry_sofa_euler_explicit{
    .key = "sofa_euler_explicit",
    .doc = "SOFA's EulerExplicitSolver: symplectic Euler unless told otherwise. [SOFA15] 2.1",
    .properties = {.order = 1, .symplectic = true},
    .fields = &field_table<SofaExplicitOptions>,
    .make = &make_sofa<SofaEulerExplicit, SofaExplicitOptions>,
};

}  // namespace taffeta::ode

#include "taffeta/ode/study/run.h"

#include <fmt/format.h>

#include "taffeta/base/timer.h"

namespace taffeta::ode::study {

namespace {

/// Passes everything on and counts.
class CountingSystem final : public SecondOrderSystem {
  public:
    CountingSystem(SecondOrderSystem& system, Counts& counts) : system_(system), counts_(counts) {}

    Eigen::Index size() const override { return system_.size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override {
        ++counts_.forces;
        system_.force(t, x, v, f);
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        ++counts_.masses;
        return system_.solve_mass(f, a);
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        ++counts_.linearisations;
        if (f) ++counts_.forces;
        system_.linearize(t, x, v, f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        ++counts_.products;
        system_.apply(c, u, out);
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) override {
        ++counts_.solves;
        const SolveReport report = system_.solve(c, rhs, tolerance, u);
        counts_.iterations += report.iterations;
        return report;
    }
    void constrain(VecX& a, double h) override { system_.constrain(a, h); }
    void project(VecX& r) override { system_.project(r); }
    double force_scale() const override { return system_.force_scale(); }
    const VecX* position_alteration() const override { return system_.position_alteration(); }
    bool force_persists() const override { return system_.force_persists(); }

  private:
    SecondOrderSystem& system_;
    Counts& counts_;
};

}  // namespace

double Counts::flops(const Cost& cost, Eigen::Index unknowns) const {
    const double own = 10 * double(unknowns);
    return double(forces) * (cost.force + own) + double(masses) * cost.mass +
           double(linearisations) * cost.linearise + double(products) * cost.product +
           double(solves) * cost.solve + double(iterations) * cost.iteration;
}

NewtonOptions tight_newton() {
    NewtonOptions options;
    options.max_iterations = 50;
    options.tolerance = 1e-15;
    return options;
}

std::unique_ptr<Integrator> make_study_integrator(const IntegratorEntry& entry,
                                                  const NewtonOptions& newton) {
    auto integrator = entry.make(Settings::object());
    integrator->set_newton(newton);
    return integrator;
}

Run run(Problem& problem, Integrator& integrator, double end, long steps,
        const std::function<void(const State&)>& observe) {
    Run result;
    CountingSystem system(*problem.system, result.counts);
    State state = problem.start;
    const double h = (end - state.t) / double(steps);
    if (observe) observe(state);
    Timer timer;
    for (long i = 0; i < steps; ++i) {
        if (problem.prepare) problem.prepare(state, h);
        const StepReport report = integrator.step(system, state, h);
        if (!report.ok()) {
            result.ok = false;
            result.message =
                fmt::format("step {} of {} failed: {}", i + 1, steps, report.solve.message);
            break;
        }
        ++result.counts.steps;
        result.counts.newtons += report.newton_iterations;
        // Not t + h + h ...: the clock of a run of many steps must not drift.
        if (i + 1 == steps) state.t = end;
        if (observe) observe(state);
    }
    result.seconds = timer.seconds();
    result.end = std::move(state);
    return result;
}

}  // namespace taffeta::ode::study

#include "taffeta/ode/study/counting_system.h"

namespace taffeta::ode::study {

double Counts::flops(const Cost& cost, Eigen::Index unknowns) const {
    const double own = 10 * double(unknowns);
    return double(forces) * (cost.force + own) + double(masses) * cost.mass +
           double(linearisations) * cost.linearise + double(products) * cost.product +
           double(solves) * cost.solve + double(iterations) * cost.iteration;
}

void CountingSystem::force(double t, const VecX& x, const VecX& v, VecX& f) {
    ++counts_.forces;
    system_.force(t, x, v, f);
}

SolveReport CountingSystem::solve_mass(const VecX& f, VecX& a) {
    ++counts_.masses;
    return system_.solve_mass(f, a);
}

void CountingSystem::linearize(double t, const VecX& x, const VecX& v, VecX* f) {
    ++counts_.linearisations;
    if (f) ++counts_.forces;
    system_.linearize(t, x, v, f);
}

void CountingSystem::apply(const Coefficients& c, const VecX& u, VecX& out) {
    ++counts_.products;
    system_.apply(c, u, out);
}

SolveReport CountingSystem::solve(const Coefficients& c, const VecX& rhs, double tolerance,
                                  VecX& u) {
    ++counts_.solves;
    const SolveReport report = system_.solve(c, rhs, tolerance, u);
    counts_.iterations += report.iterations;
    return report;
}

SpringSystem* CountingSystem::spring_system() {
    SpringSystem* const of = system_.spring_system();
    springs_.set(of);
    return of ? &springs_ : nullptr;
}

void CountingSystem::Springs::external_force(double t, const VecX& x, const VecX& v, VecX& f) {
    ++counts_.forces;
    of_->external_force(t, x, v, f);
}

}  // namespace taffeta::ode::study

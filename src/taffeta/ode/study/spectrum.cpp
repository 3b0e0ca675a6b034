#include "taffeta/ode/study/spectrum.h"

#include <cmath>
#include <complex>

namespace taffeta::ode::study {

namespace {

double largest_eigenvalue_of(SecondOrderSystem& system, const Coefficients& c, int iterations) {
    const Eigen::Index n = system.size();
    VecX u(n), image, next;
    // Every mode has a part in it, on any machine the same.
    for (Eigen::Index i = 0; i < n; ++i)
        u[i] = 1 + 0.5 * std::sin(12.9898 * double(i + 1));
    system.project(u);
    double value = 0;
    for (int i = 0; i < iterations && u.norm() > 0; ++i) {
        u /= u.norm();
        system.apply(c, u, image);
        system.solve_mass(image, next);
        system.project(next);
        // Growth, not the Rayleigh quotient: D of a first-order system may turn.
        value = std::copysign(next.norm(), u.dot(next));
        u = next;
    }
    return value;
}

}  // namespace

double Spectrum::fastest_frequency() const {
    return std::sqrt(std::abs(stiffness));
}

double Spectrum::fastest_rate() const {
    // lambda^2 + d lambda + k = 0
    const std::complex<double> root =
        std::sqrt(std::complex<double>(damping * damping / 4 - stiffness));
    return std::max(std::abs(-damping / 2 - root), std::abs(-damping / 2 + root));
}

double Spectrum::damping_ratio() const {
    const double w = fastest_frequency();
    return w > 0 ? damping / (2 * w) : 0;
}

Spectrum measure_spectrum(Problem& problem, const State& state, int iterations) {
    // Constraints, if any, as for a small step that leaves the state where it is.
    if (problem.prepare) problem.prepare(state, 1e-3);
    problem.system->linearize(state.t, state.x, state.v);
    Spectrum spectrum;
    if (!problem.first_order)
        spectrum.stiffness =
            largest_eigenvalue_of(*problem.system, {.m = 0, .d = 0, .k = 1}, iterations);
    spectrum.damping = largest_eigenvalue_of(*problem.system, {.m = 0, .d = 1, .k = 0}, iterations);
    return spectrum;
}

}  // namespace taffeta::ode::study

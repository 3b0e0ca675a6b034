#pragma once

#include <Eigen/LU>
#include <cmath>

#include "taffeta/ode/integrator.h"

/// M x'' = f0 - K x - D v with dense matrices: exact slopes, for methods whose error is to be known
/// to rounding.
namespace taffeta::ode::testing {

class LinearSystem final : public SecondOrderSystem {
  public:
    LinearSystem(VecX masses, Eigen::MatrixXd stiffness, Eigen::MatrixXd damping, VecX constant)
        : M(std::move(masses)),
          K(std::move(stiffness)),
          D(std::move(damping)),
          f0(std::move(constant)) {}
    /// x'' = f0 - k x - c v
    LinearSystem(double k, double c, double f)
        : LinearSystem(VecX::Ones(1), Eigen::MatrixXd::Constant(1, 1, k),
                       Eigen::MatrixXd::Constant(1, 1, c), VecX::Constant(1, f)) {}

    VecX M;
    Eigen::MatrixXd K, D;
    VecX f0;
    int linearised = 0;

    Eigen::Index size() const override { return M.size(); }
    void force(double, const VecX& x, const VecX& v, VecX& f) override { f = f0 - K * x - D * v; }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f.cwiseQuotient(M);
        return {};
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        ++linearised;
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        out = c.m * M.cwiseProduct(u) + c.d * (D * u) + c.k * (K * u);
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double, VecX& u) override {
        const Eigen::MatrixXd A = c.m * Eigen::MatrixXd(M.asDiagonal()) + c.d * D + c.k * K;
        u = A.partialPivLu().solve(rhs);
        return {};
    }
    bool force_persists() const override { return true; }
};

/// The textbook problems, damping in f or left to Rayleigh's r_M of the method:
///
///     2    y'' = -2.5 y - 5 y',         (0, 1)
///     3    z'' = -1000 z - 10 z' - 1010, (-1, -5)
///     W    y'' = -5 y,                   (1, 0)
struct Textbook {
    double k, c, f, x, v, end;

    LinearSystem system(bool rayleigh = false) const { return {k, rayleigh ? 0 : c, f}; }
    State start() const { return {0, VecX::Constant(1, x), VecX::Constant(1, v)}; }
    /// The solution by its closed form.
    State exact(double t) const {
        const double rest = f / k, s = -c / 2, d = s * s - k, x0 = x - rest;
        double at = 0, speed = 0;
        if (d < 0) {
            const double w = std::sqrt(-d), b = (v - s * x0) / w;
            at = std::exp(s * t) * (x0 * std::cos(w * t) + b * std::sin(w * t));
            speed = s * at + std::exp(s * t) * w * (b * std::cos(w * t) - x0 * std::sin(w * t));
        } else {
            const double w = std::sqrt(d), b = (v - s * x0) / w;
            const double up = 0.5 * (x0 + b) * std::exp((s + w) * t);
            const double down = 0.5 * (x0 - b) * std::exp((s - w) * t);
            at = up + down;
            speed = (s + w) * up + (s - w) * down;
        }
        return {t, VecX::Constant(1, rest + at), VecX::Constant(1, speed)};
    }
};

inline constexpr Textbook problem_2{2.5, 5, 0, 0, 1, 10}, problem_3{1000, 10, -1010, -1, -5, 2},
    problem_W{5, 0, 0, 1, 0, 10};

using Numbers = std::vector<std::pair<const char*, double>>;

inline std::unique_ptr<Integrator> make_with(std::string_view key, const Numbers& options = {}) {
    Settings settings = Settings::object();
    for (const auto& [name, value] : options)
        settings[name] = Settings::of(value);
    auto made = find_entry(integrators(), "integrator", key).make(settings);
    made->set_newton({.max_iterations = 50, .tolerance = 1e-14});
    return made;
}

inline State run_linear(Integrator& integrator, LinearSystem system, State state, double end,
                        int steps) {
    const double h = end / steps;
    for (int i = 0; i < steps; ++i)
        if (const StepReport report = integrator.step(system, state, h); !report.ok())
            throw std::runtime_error(report.solve.message);
    return state;
}

/// |(x, v) - exact| at the end of a textbook problem.
inline double textbook_error(const Textbook& problem, std::string_view key, int steps,
                             Numbers options = {}, bool rayleigh = false) {
    if (rayleigh) options.emplace_back("rayleigh_mass", problem.c);
    const State end = run_linear(*make_with(key, options), problem.system(rayleigh),
                                 problem.start(), problem.end, steps);
    const State exact = problem.exact(problem.end);
    return std::hypot((end.x - exact.x).norm(), (end.v - exact.v).norm());
}

/// (x, v) -> (x+, v+) of the first step of a homogeneous textbook problem: without a past to carry,
/// that of every step.
inline Eigen::Matrix2d step_matrix(const Textbook& problem, std::string_view key, double h,
                                   Numbers options = {}, bool rayleigh = false) {
    if (rayleigh) options.emplace_back("rayleigh_mass", problem.c);
    Eigen::Matrix2d step;
    for (int j = 0; j < 2; ++j) {
        LinearSystem system = problem.system(rayleigh);
        system.f0.setZero();
        State state{0, VecX::Constant(1, j == 0), VecX::Constant(1, j == 1)};
        if (const StepReport report = make_with(key, options)->step(system, state, h); !report.ok())
            throw std::runtime_error(report.solve.message);
        step.col(j) << state.x[0], state.v[0];
    }
    return step;
}

/// The h in [low, high] at which an eigenvalue of the step leaves the unit disc, by bisection.
inline double stability_limit(const Textbook& problem, std::string_view key, double low,
                              double high, const Numbers& options = {}, bool rayleigh = false) {
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        const Eigen::Matrix2d A = step_matrix(problem, key, middle, options, rayleigh);
        // Both roots of z^2 - tr z + det are in the disc.
        const double det = A.determinant(), rounding = 1e-12;
        const bool stable = det <= 1 + rounding && std::abs(A.trace()) <= 1 + det + rounding;
        (stable ? low : high) = middle;
    }
    return low;
}

}  // namespace taffeta::ode::testing

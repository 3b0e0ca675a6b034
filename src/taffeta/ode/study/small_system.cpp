#include "taffeta/ode/study/small_system.h"

#include <cmath>

namespace taffeta::ode::study {

void SmallSystem::force(double t, const VecX& x, const VecX& v, VecX& f) {
    f.resize(size());
    force_(t, x, v, f);
}

SolveReport SmallSystem::solve_mass(const VecX& f, VecX& a) {
    a = f.cwiseQuotient(mass_);
    return {};
}

void SmallSystem::linearize(double t, const VecX& x, const VecX& v, VecX* f) {
    K_.setZero(size(), size());
    D_.setZero(size(), size());
    slopes_(t, x, v, K_, D_);
    if (f) force(t, x, v, *f);
}

void SmallSystem::apply(const Coefficients& c, const VecX& u, VecX& out) {
    out = c.m * mass_.cwiseProduct(u);
    if (c.d != 0) out.noalias() += c.d * (D_ * u);
    if (c.k != 0) out.noalias() += c.k * (K_ * u);
}

SolveReport SmallSystem::solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) {
    (void)tolerance;  // the solve is direct
    SolveReport report;
    // Before the first `linearize` there are no slopes: a mass matrix alone.
    A_.setZero(size(), size());
    if (c.d != 0) A_ += c.d * D_;
    if (c.k != 0) A_ += c.k * K_;
    A_.diagonal() += c.m * mass_;
    factors_.compute(A_);
    u = factors_.solve(rhs);
    if (!u.allFinite()) {
        report.status = SolveStatus::singular;
        report.message = "m M + d D + k K is singular or not finite; another step size helps";
    }
    return report;
}

Cost small_cost(double n, double force) {
    return {.force = force,
            .mass = n,
            .linearise = n * force,
            .product = 2 * n * n + n,
            .solve = 2.0 / 3 * n * n * n + 2 * n * n + 4 * n * n,
            .iteration = 0};
}

std::unique_ptr<Problem> linear_oscillator(double stiffness, double damping, double rest, double x,
                                           double v, double end) {
    auto problem = std::make_unique<Problem>();
    const double scale = std::max(std::abs(stiffness * (x - rest)), std::abs(damping * v));
    problem->system = std::make_shared<SmallSystem>(
        VecX::Ones(1), std::max(1.0, scale),
        [=](double, const VecX& at, const VecX& u, VecX& f) {
            f[0] = -stiffness * (at[0] - rest) - damping * u[0];
        },
        [=](double, const VecX&, const VecX&, Eigen::MatrixXd& K, Eigen::MatrixXd& D) {
            K(0, 0) = stiffness;
            D(0, 0) = damping;
        });
    problem->start = {0, VecX::Constant(1, x), VecX::Constant(1, v)};
    problem->end = end;
    problem->cost = small_cost(1, damping != 0 ? 4 : 2);
    problem->names = {"x"};
    // u'' + d u' + k u = 0: u = e^{-d t/2} (u0 C(t) + (v0 + d/2 u0) S(t)) with C = cos w t and
    // S = sin(w t)/w, w^2 = k - d^2/4, or their hyperbolic and linear limits.
    problem->exact = [=](double t) {
        const double half = damping / 2, w2 = stiffness - half * half, w = std::sqrt(std::abs(w2));
        const double C = w2 > 0 ? std::cos(w * t) : w2 < 0 ? std::cosh(w * t) : 1;
        const double S = w2 > 0 ? std::sin(w * t) / w : w2 < 0 ? std::sinh(w * t) / w : t;
        const double u0 = x - rest, b = v + half * u0, decay = std::exp(-half * t);
        const double u = decay * (u0 * C + b * S);
        const double rate = decay * (b * C - w2 * u0 * S) - half * u;
        return State{t, VecX::Constant(1, rest + u), VecX::Constant(1, rate)};
    };
    problem->energy = [=](const State& s) {
        const double u = s.x[0] - rest;
        return 0.5 * (stiffness * u * u + s.v[0] * s.v[0]);
    };
    return problem;
}

}  // namespace taffeta::ode::study

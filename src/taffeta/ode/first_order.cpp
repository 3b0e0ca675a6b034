#include "taffeta/ode/first_order.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace taffeta::ode {

void FirstOrderSystem::jacobian(double t, const VecX& y, Eigen::MatrixXd& J) {
    const Eigen::Index n = size();
    J.resize(n, n);
    VecX at = y, up, down;
    for (Eigen::Index j = 0; j < n; ++j) {
        const double step = 6e-6 * std::max(1.0, std::abs(y[j]));  // cube root of the rounding
        at[j] = y[j] + step;
        const double right = at[j];
        rate(t, at, up);
        at[j] = y[j] - step;
        rate(t, at, down);
        J.col(j) = (up - down) / (right - at[j]);
        at[j] = y[j];
    }
}

void FirstOrderAdapter::force(double t, const VecX& x, const VecX& v, VecX& f) {
    (void)x;
    system_.rate(t, v, f);
}

SolveReport FirstOrderAdapter::solve_mass(const VecX& f, VecX& a) {
    a = f;
    return {};
}

void FirstOrderAdapter::linearize(double t, const VecX& x, const VecX& v, VecX* f) {
    (void)x;
    system_.jacobian(t, v, jacobian_);
    if (f) system_.rate(t, v, *f);
}

void FirstOrderAdapter::apply(const Coefficients& c, const VecX& u, VecX& out) {
    out = c.m * u;
    if (c.d != 0) out -= c.d * (jacobian_ * u);
}

SolveReport FirstOrderAdapter::solve(const Coefficients& c, const VecX& rhs, double tolerance,
                                     VecX& u) {
    (void)tolerance;  // the solve is direct
    SolveReport report;
    Eigen::MatrixXd A = -c.d * jacobian_;
    A.diagonal().array() += c.m;
    u = A.partialPivLu().solve(rhs);
    if (!u.allFinite()) {
        report.status = SolveStatus::singular;
        report.message = "m - d df/dy is singular or not finite; another step size helps";
    }
    return report;
}

}  // namespace taffeta::ode

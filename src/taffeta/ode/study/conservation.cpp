#include "taffeta/ode/study/conservation.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>

namespace taffeta::ode::study {

namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ConservationMeasurement measure_conservation(const ChosenMethod& method, Problem& problem, double h,
                                             long steps) {
    ConservationMeasurement m;
    m.method = method.label;
    m.h = h;
    const State& start = problem.start;
    const double E0 = problem.energy ? problem.energy(start) : undefined;
    const Vec3 P0 = problem.momentum ? problem.momentum(start) : Vec3::Zero().eval();
    const Vec3 L0 =
        problem.angular_momentum ? problem.angular_momentum(start) : Vec3::Zero().eval();
    double lowest = E0, highest = E0, last = E0, momentum = 0, angular = 0;
    const Run made =
        run(problem, method, start.t + h * double(steps), steps, [&](const State& state) {
            if (problem.energy) {
                last = problem.energy(state);
                lowest = std::min(lowest, last);
                highest = std::max(highest, last);
            }
            if (problem.momentum)
                momentum = std::max(momentum, (problem.momentum(state) - P0).norm());
            if (problem.angular_momentum)
                angular = std::max(angular, (problem.angular_momentum(state) - L0).norm());
        });
    m.energy_relative = E0 != 0;
    m.momentum_relative = P0.norm() > 0;
    m.angular_momentum_relative = L0.norm() > 0;
    const double scale = m.energy_relative ? std::abs(E0) : 1;
    m.steps = made.counts.steps;
    m.lowest_energy = lowest / scale;
    m.highest_energy = highest / scale;
    m.last_energy = last / scale;
    m.energy_error = (last - E0) / scale;
    m.momentum_error =
        problem.momentum ? momentum / (m.momentum_relative ? P0.norm() : 1) : undefined;
    m.angular_momentum_error = problem.angular_momentum
                                   ? angular / (m.angular_momentum_relative ? L0.norm() : 1)
                                   : undefined;
    m.ok = made.ok && std::isfinite(last) == std::isfinite(E0);
    m.message = made.message;
    return m;
}

Symplecticity measure_symplecticity(const ChosenMethod& method, Problem& problem, double h,
                                    int steps) {
    const Eigen::Index n = problem.start.x.size();
    VecX inverse_mass;  // diagonal
    problem.system->solve_mass(VecX::Ones(n), inverse_mass);
    Symplecticity result;
    const State start = problem.start;
    const auto flow = [&](const VecX& at) {
        problem.start.x = at.head(n);
        problem.start.v = at.tail(n).cwiseProduct(inverse_mass);
        const Run made = run(problem, method, start.t + h * steps, steps);
        problem.start = start;
        if (!made.ok) result.ok = false;
        VecX out(2 * n);
        out << made.end.x, made.end.v.cwiseQuotient(inverse_mass);
        return out;
    };
    VecX at(2 * n);
    at << start.x, start.v.cwiseQuotient(inverse_mass);
    Eigen::MatrixXd J(2 * n, 2 * n), W = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    W.topRightCorner(n, n).setIdentity();
    W.bottomLeftCorner(n, n) = -Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index j = 0; j < 2 * n; ++j) {
        // Error h^4 of the five-point rule against rounding: some 1e-11 at this step.
        const double step = 1e-3 * std::max(1.0, std::abs(at[j]));
        VecX shifted = at;
        const auto value = [&](double offset) {
            shifted[j] = at[j] + offset;
            return flow(shifted);
        };
        J.col(j) =
            (8 * (value(step) - value(-step)) - (value(2 * step) - value(-2 * step))) / (12 * step);
    }
    result.determinant = J.determinant();
    result.defect = (J.transpose() * W * J - W).cwiseAbs().maxCoeff();
    return result;
}

}  // namespace taffeta::ode::study

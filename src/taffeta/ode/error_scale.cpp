#include "taffeta/ode/error_scale.h"

#include <algorithm>
#include <cmath>

namespace taffeta::ode {

namespace {

/// (error/allowed)^2; what does not err may do so where nothing is allowed.
double weighted_sq(double error, double allowed) {
    if (error == 0) return 0;
    const double ratio = error / allowed;
    return ratio * ratio;
}

double mean_root(double sum, Eigen::Index size) {
    return std::sqrt(sum / (2 * double(std::max<Eigen::Index>(1, size))));
}

}  // namespace

double ErrorScale::norm(const VecX& error_x, const VecX& error_v, const State& begin,
                        const State& end) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < end.x.size(); ++i) {
        const double x = std::max(std::abs(begin.x[i]), std::abs(end.x[i]));
        const double v = std::max(std::abs(begin.v[i]), std::abs(end.v[i]));
        sum += weighted_sq(error_x[i], position + relative * x) +
               weighted_sq(error_v[i], velocity + relative * v);
    }
    return mean_root(sum, end.x.size());
}

double ErrorScale::norm(double c_x, double c_v, const VecX& u, const VecX& x, const VecX& v) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < u.size(); ++i)
        sum += weighted_sq(c_x * u[i], position + relative * std::abs(x[i])) +
               weighted_sq(c_v * u[i], velocity + relative * std::abs(v[i]));
    return mean_root(sum, u.size());
}

}  // namespace taffeta::ode

#include "taffeta/ode/study/order_search.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace taffeta::ode::study {

namespace {

constexpr std::size_t window = 5;   // levels, sqrt(2) apart
constexpr double share = 0.01;      // of rounding in an error that counts
constexpr double agreement = 0.02;  // of windows
constexpr double flat = 0.1;        // of slopes an octave apart

struct OrderLevel {
    long steps;
    double error;
    bool counts;
};

/// Share of rounding in the errors with N - 2 .. N + 2 steps: what departs from a parabola in their
/// logarithms, root mean square.
double rounding_share(const std::function<double(long)>& error, long steps, double here) {
    const std::array<double, 5> e{error(steps - 2), error(steps - 1), here, error(steps + 1),
                                  error(steps + 2)};
    constexpr double everything = std::numeric_limits<double>::infinity();
    // A parabola is orthogonal to these two.
    constexpr std::array<double, 5> cubic{-1, 2, 0, -2, 1}, quartic{1, -4, 6, -4, 1};
    double third = 0, fourth = 0;
    for (std::size_t i = 0; i < e.size(); ++i) {
        if (!(e[i] > 0) || !std::isfinite(e[i])) return everything;
        third += cubic[i] * std::log(e[i]);
        fourth += quartic[i] * std::log(e[i]);
    }
    // Of N^-p the first leaves 4 p/N^3, the second 6 p/N^4: nothing only where N is not too small.
    if (steps < 12) return std::abs(fourth) / std::sqrt(70);
    return std::sqrt((third * third / 10 + fourth * fourth / 70) / 2);
}

/// p of log e = log C + p log h + c h, by least squares.
double fitted_order(std::span<const OrderLevel> levels) {
    Eigen::Matrix<double, int(window), 3> A;
    Eigen::Vector<double, int(window)> b;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
        const OrderLevel& level = levels[std::size_t(i)];
        const double h = double(levels[0].steps) / double(level.steps);
        A.row(i) << 1, std::log(h), h;
        b[i] = std::log(level.error);
    }
    return A.colPivHouseholderQr().solve(b)[1];
}

double slope_between(const OrderLevel& coarse, const OrderLevel& fine) {
    return std::log(coarse.error / fine.error) /
           std::log(double(fine.steps) / double(coarse.steps));
}

}  // namespace

OrderFound search_order(const std::function<double(long)>& error, const OrderSearch& search) {
    OrderFound found;
    found.order = std::numeric_limits<double>::quiet_NaN();
    std::vector<OrderLevel> levels;
    std::vector<double> fits;
    int drowned = 0;  // successive levels with no more than rounding
    for (int k = 0;; ++k) {
        const long steps = std::lround(double(search.first_steps) * std::exp2(0.5 * k));
        if (steps > search.most_steps) break;
        const double e = error(steps);
        OrderLevel level{steps, e, std::isfinite(e) && e > 0 && e < search.resolved};
        double rounding = search.reference / e;
        if (std::isfinite(e) && e < search.suspicious * std::sqrt(double(steps)) && steps >= 5)
            rounding = std::max(rounding, rounding_share(error, steps, e));
        level.counts = level.counts && rounding <= share;
        drowned = std::isfinite(e) && !(rounding <= 0.1) ? drowned + 1 : 0;
        if (std::isfinite(e)) found.curve.emplace_back(steps, e);
        levels.push_back(level);
        if (drowned == 2) {
            found.at_rounding = true;
            break;
        }
        if (levels.size() < window) continue;
        const std::span<const OrderLevel> last = std::span(levels).last(window);
        if (!std::ranges::all_of(last, &OrderLevel::counts)) continue;
        fits.push_back(fitted_order(last));
        found.order = fits.back();
        if (fits.size() >= 2) found.spread = std::abs(found.order - fits[fits.size() - 2]);
        if (fits.size() >= 3) {
            const auto [low, high] = std::minmax_element(fits.end() - 3, fits.end());
            found.drift = *high - *low;
        }
        const double slope = slope_between(last[window - 3], last[window - 1]);
        found.steps = steps;
        found.error = e;
        const std::size_t n = fits.size();
        if (n >= 3 && std::abs(fits[n - 1] - fits[n - 2]) < agreement &&
            std::abs(fits[n - 1] - fits[n - 3]) < agreement &&
            std::abs(slope - slope_between(last[0], last[2])) < flat) {
            found.settled = true;
            break;
        }
    }
    return found;
}

}  // namespace taffeta::ode::study

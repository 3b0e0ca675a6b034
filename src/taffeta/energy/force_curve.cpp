#include "taffeta/energy/force_curve.h"

#include <algorithm>

#include "taffeta/base/error.h"

namespace taffeta::energy {

ForceCurve::ForceCurve(std::vector<double> strain, std::vector<double> tension)
    : strain_(std::move(strain)), tension_(std::move(tension)) {
    const std::size_t n = strain_.size();
    TAFFETA_ASSERT(n >= 2 && tension_.size() == n);
    slope_.resize(n);
    const auto secant = [&](std::size_t k) {
        return (tension_[k + 1] - tension_[k]) / (strain_[k + 1] - strain_[k]);
    };
    slope_.front() = secant(0);
    slope_.back() = secant(n - 2);
    for (std::size_t k = 1; k + 1 < n; ++k) {
        const double before = secant(k - 1), after = secant(k);
        // The harmonic mean, weighted by the lengths of the pieces; none where the curve turns.
        const double w1 = 2 * (strain_[k + 1] - strain_[k]) + strain_[k] - strain_[k - 1];
        const double w2 = strain_[k + 1] - strain_[k] + 2 * (strain_[k] - strain_[k - 1]);
        slope_[k] = before * after > 0 ? (w1 + w2) / (w1 / before + w2 / after) : 0;
    }
    area_.assign(n, 0);
    for (std::size_t k = 1; k < n; ++k) {
        const double d = strain_[k] - strain_[k - 1];
        area_[k] = area_[k - 1] + d * (tension_[k - 1] + tension_[k]) / 2 +
                   d * d * (slope_[k - 1] - slope_[k]) / 12;
    }
    at_rest_ = integral(0);
}

std::size_t ForceCurve::piece(double strain) const {
    const auto above = std::upper_bound(strain_.begin() + 1, strain_.end() - 1, strain);
    return std::size_t(above - strain_.begin()) - 1;
}

double ForceCurve::tension(double strain) const {
    if (strain < strain_.front())
        return tension_.front() + slope_.front() * (strain - strain_.front());
    if (strain > strain_.back()) return tension_.back() + slope_.back() * (strain - strain_.back());
    const std::size_t k = piece(strain);
    const double d = strain_[k + 1] - strain_[k], t = (strain - strain_[k]) / d;
    return tension_[k] * (1 + t * t * (2 * t - 3)) + tension_[k + 1] * t * t * (3 - 2 * t) +
           d * t * (slope_[k] * (1 - t) * (1 - t) - slope_[k + 1] * t * (1 - t));
}

double ForceCurve::slope(double strain) const {
    if (strain < strain_.front()) return slope_.front();
    if (strain > strain_.back()) return slope_.back();
    const std::size_t k = piece(strain);
    const double d = strain_[k + 1] - strain_[k], t = (strain - strain_[k]) / d;
    return 6 * t * (1 - t) * (tension_[k + 1] - tension_[k]) / d +
           slope_[k] * (1 - t) * (1 - 3 * t) - slope_[k + 1] * t * (2 - 3 * t);
}

double ForceCurve::integral(double strain) const {
    if (strain < strain_.front()) {
        const double d = strain - strain_.front();
        return d * (tension_.front() + slope_.front() * d / 2);
    }
    if (strain > strain_.back()) {
        const double d = strain - strain_.back();
        return area_.back() + d * (tension_.back() + slope_.back() * d / 2);
    }
    const std::size_t k = piece(strain);
    const double d = strain_[k + 1] - strain_[k], t = (strain - strain_[k]) / d, t2 = t * t;
    // Integrals of the four Hermite polynomials from 0 to t.
    const double rest = t * t2 * (1 - t / 2);
    return area_[k] + d * (tension_[k] * (t - rest) + tension_[k + 1] * rest +
                           d * (slope_[k] * t2 * (0.5 + t * (-2.0 / 3 + t / 4)) +
                                slope_[k + 1] * t2 * t * (-1.0 / 3 + t / 4)));
}

}  // namespace taffeta::energy

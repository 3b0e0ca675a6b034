#include "taffeta/ode/study/stability.h"

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "taffeta/base/parallel.h"

namespace taffeta::ode::study {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double growth_seen = 1e-9;  // above what the fit of a recurrence leaves of rounding
constexpr double far = 1e4;

struct Limit {
    double at = infinite;
    bool weak = false;
};

/// The end of the stable interval [0, at] of growth(x) = radius - 1.
Limit first_growth(const std::function<double(double)>& growth) {
    double stable = 0;
    for (double x = 0.02; x < far; x *= 1.07) {
        if (growth(x) <= growth_seen) {
            stable = x;
            continue;
        }
        double low = stable, high = x;
        while (high - low > 1e-8 * std::max(1.0, high)) {
            const double middle = 0.5 * (low + high);
            (growth(middle) > growth_seen ? high : low) = middle;
        }
        // Growth that crosses 0 is at once large. Growth like a power of x, w^4/8 of a Runge-Kutta
        // method of order two, is small over a long way and has been there from the start.
        const double end = 0.5 * (low + high);
        if (growth(1.1 * end + 0.01) < 1e-4 && growth(1.02 * end) < 1e-6)
            return {0, growth(0.1) < 1e-4};
        return {low < 0.02 ? 0 : end, false};
    }
    return {};
}

bool stable_on_ray(const StepMap& map, double angle, int samples) {
    const double direction = std::numbers::pi - angle;
    for (int i = 0; i <= samples; ++i) {
        const double size = std::pow(10.0, -2 + 5.0 * i / samples);
        if (map.radius(std::polar(size, direction)) > 1 + 1e-8) return false;
    }
    return true;
}

bool stable_in_left_half_plane(const StepMap& map) {
    for (const double angle : {0.5, 0.4999, 0.49, 0.4, 0.25, 0.1, 0.0})
        for (const double size :
             {1e-3, 0.05, 0.1, 0.3, 0.7, 1.2, 2.0, 3.5, 5.0, 9.0, 50.0, 1e3, 1e6}) {
            const std::complex<double> z = std::polar(size, std::numbers::pi * (1 - angle));
            if (map.radius(z) > 1 + (size > 100 ? 1e-6 : 3e-9)) return false;
        }
    return true;
}

/// The largest angle about the negative real axis, by bisection of its rays.
double stable_angle(const StepMap& map) {
    if (!stable_on_ray(map, 0, 60)) return 0;
    double low = 0, high = std::numbers::pi / 2;
    while (high - low > 1e-5) {
        const double middle = 0.5 * (low + high);
        (stable_on_ray(map, middle, 240) ? low : high) = middle;
    }
    return low * 180 / std::numbers::pi;
}

}  // namespace

StabilityMeasurement measure_stability(const ChosenMethod& method) {
    StabilityMeasurement m;
    m.method = method.label;
    m.declared_a_stable = method.properties.a_stable;
    m.declared_l_stable = method.properties.l_stable;
    StepMap map(method, StepMap::Equation::dahlquist);
    StepMap spring(method, StepMap::Equation::oscillator);
    m.memory = map.memory();
    if (map.memory() == 0 || spring.memory() == 0) {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        m.real_limit = m.imaginary_limit = m.spring_limit = m.angle = m.at_infinity = none;
        return m;
    }

    m.real_limit = first_growth([&](double x) { return map.radius({-x, 0}) - 1; }).at;
    const Limit imaginary = first_growth([&](double w) { return map.radius({0, w}) - 1; });
    m.imaginary_limit = imaginary.at;
    m.weakly_unstable = imaginary.weak;
    const Limit on_spring = first_growth([&](double w) { return spring.radius(w) - 1; });
    m.spring_limit = on_spring.at;
    m.spring_weakly_unstable = on_spring.weak;

    // Methods for x'' = f may be A-stable on y' = z y and still lose a spring.
    m.a_stable =
        std::isinf(m.real_limit) && std::isinf(m.spring_limit) && stable_in_left_half_plane(map);
    m.at_infinity = map.radius({-1e8, 0});
    // Infinitely fast motion is to be gone, be it decay or vibration.
    m.l_stable = m.a_stable && m.at_infinity < 1e-2 && spring.radius(1e4) < 0.1;
    m.angle = stable_in_left_half_plane(map) ? 90
              : std::isinf(m.real_limit)     ? stable_angle(map)
                                             : 0;
    const bool sector = m.angle > 0 && !stable_in_left_half_plane(map);
    m.agrees = m.a_stable == m.declared_a_stable && m.l_stable == m.declared_l_stable &&
               sector == method.properties.stiffly_stable;
    return m;
}

StabilityRegion stability_region(const StepMap& map, double left, double right, double top,
                                 int columns, int rows) {
    StabilityRegion region{left, right, top, columns, rows, {}};
    region.radius.resize(std::size_t(columns) * std::size_t(rows));
    parallel_for(rows - rows / 2, 1, [&](Index k) {
        const int row = rows / 2 + k;
        for (int column = 0; column < columns; ++column) {
            // Conjugate z have conjugate roots.
            const double radius = map.radius({region.real(column), region.imaginary(row)});
            region.radius[std::size_t(row * columns + column)] = radius;
            region.radius[std::size_t((rows - 1 - row) * columns + column)] = radius;
        }
    });
    return region;
}

SpringPoint spring_point(const StepMap& map, double w) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    SpringPoint point{w, infinite, none, none, none};
    const auto roots = map.roots(w);
    // The vibration is the slowest to decay of the turning roots; where none turns it has no
    // frequency.
    std::complex<double> principal = 0;
    if (!roots.empty()) point.radius = 0;
    for (const std::complex<double>& root : roots) {
        point.radius = std::max(point.radius, std::abs(root));
        if (root.imag() > 1e-9 && std::abs(root) > std::abs(principal)) principal = root;
    }
    if (std::abs(principal) > 0 && w > 0 && w < std::numbers::pi)
        point.frequency_error = (std::arg(principal) - w) / w;
    if (const auto A = map.oscillator_matrix(w)) {
        point.determinant = A->determinant();
        point.trace = A->trace();
    }
    return point;
}

}  // namespace taffeta::ode::study

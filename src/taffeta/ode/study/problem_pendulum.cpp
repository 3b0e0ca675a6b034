#include <array>
#include <cmath>

#include "taffeta/base/error.h"
#include "taffeta/ode/study/small_system.h"

/// theta'' = -(g/l) sin theta, with its solution in Jacobi's elliptic functions:
///
///     sin(theta/2) = k sn(u),   theta' = 2 k w cn(u),   u = w t + u0,   w^2 = g/l,
///     k^2 = sin^2(theta0/2) + (theta0'/(2 w))^2 < 1.
namespace taffeta::ode::study {

namespace {

/// Jacobi's amplitude am(u, k) by descending arithmetic-geometric means. [AbramowitzStegun] 16.4
double jacobi_amplitude(double u, double k) {
    constexpr int most = 12;
    std::array<double, most + 1> a{1}, c{k};
    double b = std::sqrt(1 - k * k);
    int n = 0;
    while (n < most && c[std::size_t(n)] > 1e-17) {
        const double mean = 0.5 * (a[std::size_t(n)] + b);
        c[std::size_t(n) + 1] = 0.5 * (a[std::size_t(n)] - b);
        b = std::sqrt(a[std::size_t(n)] * b);
        a[std::size_t(++n)] = mean;
    }
    double phi = std::ldexp(a[std::size_t(n)] * u, n);
    for (; n > 0; --n)
        phi = 0.5 * (phi + std::asin(c[std::size_t(n)] / a[std::size_t(n)] * std::sin(phi)));
    return phi;
}

struct PendulumOptions {
    double gravity = 9.81, length = 1, angle = 2, rate = 0.5, end = 3;

    static Fields<PendulumOptions> fields() {
        return {
            {"gravity", &PendulumOptions::gravity, "m/s^2", between(1e-3, 1e3)},
            {"length", &PendulumOptions::length, "m", between(1e-3, 1e3)},
            {"angle", &PendulumOptions::angle, "from the lowest place at the start, rad",
             between(-3.14, 3.14)},
            {"rate", &PendulumOptions::rate, "at the start, rad/s", between(-1e3, 1e3)},
            {"end", &PendulumOptions::end, "duration, s", between(1e-3, 1e5)},
        };
    }
};

std::unique_ptr<Problem> make_pendulum(const Settings& settings) {
    const auto o = read_options<PendulumOptions>(settings);
    const double w = std::sqrt(o.gravity / o.length), w2 = o.gravity / o.length;
    const double k = std::hypot(std::sin(o.angle / 2), o.rate / (2 * w));
    if (!(k > 0 && k < 1))
        fail_input("pendulum", "the motion goes over the top, or there is none",
                   "|rate| < 2 sqrt(g/l) cos(angle/2) swings to and fro");
    auto problem = std::make_unique<Problem>();
    problem->system = std::make_shared<SmallSystem>(
        VecX::Ones(1), w2,
        [w2](double, const VecX& x, const VecX&, VecX& f) { f[0] = -w2 * std::sin(x[0]); },
        [w2](double, const VecX& x, const VecX&, Eigen::MatrixXd& K, Eigen::MatrixXd&) {
            K(0, 0) = w2 * std::cos(x[0]);
        });
    problem->start = {0, VecX::Constant(1, o.angle), VecX::Constant(1, o.rate)};
    problem->end = o.end;
    problem->cost = small_cost(1, 2);
    problem->names = {"angle"};
    const double u0 = std::ellint_1(k, std::atan2(std::sin(o.angle / 2), o.rate / (2 * w)));
    problem->exact = [=](double t) {
        const double phi = jacobi_amplitude(w * t + u0, k);
        return State{t, VecX::Constant(1, 2 * std::asin(k * std::sin(phi))),
                     VecX::Constant(1, 2 * k * w * std::cos(phi))};
    };
    problem->energy = [w2](const State& s) {
        return 0.5 * s.v[0] * s.v[0] + w2 * (1 - std::cos(s.x[0]));
    };
    return problem;
}

/// In wide swings the terms of order nine and ten of an extrapolated error, which are those that lose
/// energy, rule until rounding does: an order of eight can be read where they have not grown.
Settings gentle_swing() {
    Settings options = Settings::object();
    options["angle"] = Settings::of(0.3);
    options["rate"] = Settings::of(1.0);
    return options;
}

}  // namespace

extern const ProblemEntry entry_pendulum;
constinit const ProblemEntry entry_pendulum{
    .key = "pendulum",
    .doc = "theta'' = -(g/l) sin theta, far from small. [Slides]",
    .properties = {.nonlinear = true, .first_steps = 50, .order_options = &gentle_swing},
    .fields = &field_table<PendulumOptions>,
    .make = &make_pendulum,
};

}  // namespace taffeta::ode::study

#include <cmath>

#include "taffeta/ode/study/small_system.h"

/// One particle: free fall and springs of [Slides], and Kepler's orbit.
namespace taffeta::ode::study {

namespace {

using Eigen::MatrixXd;

/// x cross m v of one particle, in two or three dimensions.
Vec3 moment(const State& s, double mass) {
    Vec3 x = Vec3::Zero(), v = Vec3::Zero();
    x.head(s.x.size()) = s.x;
    v.head(s.v.size()) = s.v;
    return mass * x.cross(v);
}

struct FreeFallOptions {
    double gravity = 9.81;
    Vec3 velocity = Vec3(1, 0, 2);
    double end = 1;

    static Fields<FreeFallOptions> fields() {
        return {
            {"gravity", &FreeFallOptions::gravity, "m/s^2, along -z", between(0, 1e3)},
            {"velocity", &FreeFallOptions::velocity, "at the start, m/s"},
            {"end", &FreeFallOptions::end, "duration, s", between(1e-3, 1e3)},
        };
    }
};

std::unique_ptr<Problem> make_free_fall(const Settings& settings) {
    const auto options = read_options<FreeFallOptions>(settings);
    const double g = options.gravity;
    const VecX v0 = options.velocity;
    auto problem = std::make_unique<Problem>();
    problem->system = std::make_shared<SmallSystem>(
        VecX::Ones(3), std::max(1.0, g),
        [g](double, const VecX&, const VecX&, VecX& f) { f << 0, 0, -g; },
        [](double, const VecX&, const VecX&, MatrixXd&, MatrixXd&) {});
    problem->start = {0, VecX::Zero(3), v0};
    problem->end = options.end;
    problem->cost = small_cost(3, 1);
    problem->names = {"x", "y", "z"};
    problem->exact = [=](double t) {
        State s{t, t * v0, v0};
        s.x[2] -= 0.5 * g * t * t;
        s.v[2] -= g * t;
        return s;
    };
    problem->energy = [g](const State& s) { return 0.5 * s.v.squaredNorm() + g * s.x[2]; };
    problem->momentum = [](const State& s) { return Vec3(s.v); };
    return problem;
}

struct Spring1dOptions {
    double mass = 1, stiffness = 1, rest_length = 1, x = 2, v = 0, end = 20;

    static Fields<Spring1dOptions> fields() {
        return {
            {"mass", &Spring1dOptions::mass, "kg", between(1e-6, 1e6)},
            {"stiffness", &Spring1dOptions::stiffness, "N/m", between(1e-6, 1e9)},
            {"rest_length", &Spring1dOptions::rest_length, "m", between(0, 1e3)},
            {"x", &Spring1dOptions::x, "at the start, m", between(-1e3, 1e3)},
            {"v", &Spring1dOptions::v, "at the start, m/s", between(-1e3, 1e3)},
            {"end", &Spring1dOptions::end, "duration, s", between(1e-3, 1e5)},
        };
    }
};

std::unique_ptr<Problem> make_spring_1d(const Settings& settings) {
    const auto o = read_options<Spring1dOptions>(settings);
    auto problem = linear_oscillator(o.stiffness / o.mass, 0, o.rest_length, o.x, o.v, o.end);
    const auto per_mass = problem->energy;
    problem->energy = [=, m = o.mass](const State& s) { return m * per_mass(s); };
    return problem;
}

struct Spring3dOptions {
    double mass = 1, stiffness = 20, rest_length = 1;
    Vec3 x = Vec3(1.2, 0, 0), v = Vec3(0, 2, 0.5);
    double end = 3;

    static Fields<Spring3dOptions> fields() {
        return {
            {"mass", &Spring3dOptions::mass, "kg", between(1e-6, 1e6)},
            {"stiffness", &Spring3dOptions::stiffness, "N/m", between(1e-6, 1e9)},
            {"rest_length", &Spring3dOptions::rest_length, "m; 0 has a solution in closed form",
             between(0, 1e3)},
            {"x", &Spring3dOptions::x, "at the start, m"},
            {"v", &Spring3dOptions::v, "at the start, m/s"},
            {"end", &Spring3dOptions::end, "duration, s", between(1e-3, 1e5)},
        };
    }
};

/// E = k/2 (|x| - l)^2 about the origin.
std::unique_ptr<Problem> make_spring_3d(const Settings& settings) {
    const auto o = read_options<Spring3dOptions>(settings);
    const double k = o.stiffness, l = o.rest_length, m = o.mass;
    auto problem = std::make_unique<Problem>();
    problem->system = std::make_shared<SmallSystem>(
        VecX::Constant(3, m), std::max(1e-3, k * o.x.norm()),
        [=](double, const VecX& x, const VecX&, VecX& f) {
            f = (l > 0 ? -k * (1 - l / x.norm()) : -k) * x;
        },
        [=](double, const VecX& x, const VecX&, MatrixXd& K, MatrixXd&) {
            // K = k (1 - l/r) I + k l/r^3 x x'
            const double r = x.norm();
            K.diagonal().setConstant(l > 0 ? k * (1 - l / r) : k);
            if (l > 0) K += k * l / (r * r * r) * (x * x.transpose());
        });
    problem->start = {0, o.x, o.v};
    problem->end = o.end;
    problem->cost = small_cost(3, 12);
    problem->names = {"x", "y", "z"};
    if (l == 0) {
        problem->exact = [=](double t) {
            const double w = std::sqrt(k / m), c = std::cos(w * t), s = std::sin(w * t);
            return State{t, c * o.x + s / w * o.v, c * o.v - s * w * o.x};
        };
    }
    problem->energy = [=](const State& s) {
        const double stretch = s.x.norm() - l;
        return 0.5 * (k * stretch * stretch + m * s.v.squaredNorm());
    };
    problem->angular_momentum = [m](const State& s) { return moment(s, m); };
    problem->springs = ProblemSprings{
        .springs = {{.i = 0, .j = 1, .length = l, .stiffness = k, .damping = 0}},
        .inverse_mass = VecX::Constant(1, 1 / m),
        .held = VecX::Zero(3),
        .external_force = [](double, const VecX&, const VecX&, VecX& f) { f.setZero(3); }};
    return problem;
}

struct KeplerOptions {
    double eccentricity = 0.36, end = 5;

    static Fields<KeplerOptions> fields() {
        return {
            {"eccentricity", &KeplerOptions::eccentricity, "of the orbit", between(0, 0.95)},
            {"end", &KeplerOptions::end, "duration, s", between(1e-3, 1e6)},
        };
    }
};

/// x'' = -x/|x|^3 from the far end of the orbit, (1, 0), with the velocity (0, sqrt(1 - e)): the
/// semi-axis is a = 1/(1 + e) and the period 2 pi a^{3/2}.
std::unique_ptr<Problem> make_kepler(const Settings& settings) {
    const auto options = read_options<KeplerOptions>(settings);
    const double e = options.eccentricity, a = 1 / (1 + e);
    auto problem = std::make_unique<Problem>();
    problem->system = std::make_shared<SmallSystem>(
        VecX::Ones(2), 1,
        [](double, const VecX& x, const VecX&, VecX& f) {
            const double r2 = x.squaredNorm();
            f = -x / (r2 * std::sqrt(r2));
        },
        [](double, const VecX& x, const VecX&, MatrixXd& K, MatrixXd&) {
            // K = I/r^3 - 3 x x'/r^5
            const double r2 = x.squaredNorm(), r3 = r2 * std::sqrt(r2);
            K = -3 / (r2 * r3) * (x * x.transpose());
            K.diagonal().array() += 1 / r3;
        });
    problem->start = {0, Vec2(1, 0), Vec2(0, std::sqrt(1 - e))};
    problem->end = options.end;
    problem->cost = small_cost(2, 8);
    problem->names = {"x", "y"};
    problem->exact = [=](double t) {
        // Kepler's equation E - e sin E = pi + n t by Newton's method; the near end lies at -x.
        const double n = std::pow(a, -1.5), mean = std::acos(-1.0) + n * t;
        double E = mean;
        for (int i = 0; i < 50; ++i) {
            const double step = (E - e * std::sin(E) - mean) / (1 - e * std::cos(E));
            E -= step;
            if (std::abs(step) <= 1e-15 * std::abs(E)) break;
        }
        const double b = a * std::sqrt(1 - e * e), rate = n / (1 - e * std::cos(E));
        return State{t, Vec2(-a * (std::cos(E) - e), -b * std::sin(E)),
                     rate * Vec2(a * std::sin(E), -b * std::cos(E))};
    };
    problem->energy = [](const State& s) { return 0.5 * s.v.squaredNorm() - 1 / s.x.norm(); };
    problem->angular_momentum = [](const State& s) { return moment(s, 1); };
    return problem;
}

}  // namespace

extern const ProblemEntry entry_free_fall, entry_spring_1d, entry_spring_3d, entry_kepler;

constinit const ProblemEntry entry_free_fall{
    .key = "free_fall",
    .doc = "a particle in constant gravity. [Slides]",
    .properties = {.first_steps = 10, .free_fall = true},
    .fields = &field_table<FreeFallOptions>,
    .make = &make_free_fall,
};
constinit const ProblemEntry entry_spring_1d{
    .key = "spring_1d",
    .doc = "a particle on a spring along a line. [Slides]",
    .properties = {.first_steps = 50},
    .fields = &field_table<Spring1dOptions>,
    .make = &make_spring_1d,
};
constinit const ProblemEntry entry_spring_3d{
    .key = "spring_3d",
    .doc = "a particle on a spring in space. [Slides]",
    .properties = {.nonlinear = true, .exact = false, .first_steps = 50},
    .fields = &field_table<Spring3dOptions>,
    .make = &make_spring_3d,
};
constinit const ProblemEntry entry_kepler{
    .key = "kepler",
    .doc = "a planet: x'' = -x/|x|^3",
    .properties = {.nonlinear = true, .first_steps = 50},
    .fields = &field_table<KeplerOptions>,
    .make = &make_kepler,
};

}  // namespace taffeta::ode::study

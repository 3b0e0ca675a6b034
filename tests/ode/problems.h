#pragma once

#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "taffeta/ode/integrator.h"

/// Systems with known answers, small enough for dense algebra.
namespace taffeta::ode::testing {

using MatX = Eigen::MatrixXd;

/// M a = f(t, x, v) of a function, with Jacobians by central differences, constraints by a dense
/// projector, counters, and failures on demand.
class DenseSystem final : public SecondOrderSystem {
  public:
    using Force = std::function<VecX(double t, const VecX& x, const VecX& v)>;

    explicit DenseSystem(VecX masses, Force force_of)
        : mass(std::move(masses)),
          of(std::move(force_of)),
          S(MatX::Identity(mass.size(), mass.size())),
          velocity(VecX::Zero(mass.size())) {}

    VecX mass;
    Force of;
    MatX S;            ///< projector onto the free directions
    VecX velocity;     ///< wanted at the end of the step in the forbidden ones
    VecX start;        ///< velocity at the start of the step, when constraints are used
    VecX y;            ///< position alteration; empty: none
    double scale = 1;  ///< force_scale
    bool persists = true;
    int evaluations = 0;
    int left = std::numeric_limits<int>::max();  ///< evaluations before one gives NaN

    Eigen::Index size() const override { return mass.size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override {
        ++evaluations;
        f = of(t, x, v);
        if (left-- <= 0) f.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f.cwiseQuotient(mass);
        constrain(a, h);
        return {};
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        K_ = -jacobian([&](const VecX& u) { return of(t, u, v); }, x);
        D_ = -jacobian([&](const VecX& u) { return of(t, x, u); }, v);
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        out = c.m * mass.cwiseProduct(u);
        if (c.d != 0) out += c.d * (D_ * u);
        if (c.k != 0) out += c.k * (K_ * u);
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double, VecX& u) override {
        const MatX A = c.m * MatX(mass.asDiagonal()) + c.d * D_ + c.k * K_;
        const MatX I = MatX::Identity(size(), size());
        u = S * (S * A * S + (I - S)).partialPivLu().solve(S * rhs);
        return {};
    }
    void constrain(VecX& a, double step) override {
        if (start.size() == 0) return;
        const VecX wanted = (velocity - start) / step;
        a = S * (a - wanted) + wanted;
    }
    void project(VecX& r) override {
        if (start.size() > 0) r = S * r;
    }
    double force_scale() const override { return scale; }
    const VecX* position_alteration() const override { return y.size() > 0 ? &y : nullptr; }
    bool force_persists() const override { return persists; }

    double h = 0;  ///< of the step, for constraints

  private:
    template <class Function>
    static MatX jacobian(const Function& function, const VecX& at) {
        MatX J(at.size(), at.size());
        for (Eigen::Index j = 0; j < at.size(); ++j) {
            const double step = 1e-5 * std::max(1.0, std::abs(at[j]));
            VecX up = at, down = at;
            up[j] += step;
            down[j] -= step;
            J.col(j) = (function(up) - function(down)) / (up[j] - down[j]);
        }
        return J;
    }

    MatX K_, D_;
};

/// A system, where it starts, how long to run it, whether f depends on v, and is linear.
struct Problem {
    const char* name;
    DenseSystem system;
    State start;
    double end;
    bool damped = false;
    bool linear = false;  ///< and autonomous
};

inline VecX scalar(double value) {
    return VecX::Constant(1, value);
}

/// x'' = -k x - c x'
inline Problem oscillator(double k, double c) {
    return {
        c > 0 ? "damped oscillator" : "oscillator",
        DenseSystem(scalar(1),
                    [=](double, const VecX& x, const VecX& v) -> VecX { return -k * x - c * v; }),
        {0, scalar(1), scalar(0.5)},
        2,
        c > 0,
        true};
}

/// theta'' = -sin theta
inline Problem pendulum() {
    return {"pendulum",
            DenseSystem(scalar(2),
                        [](double, const VecX& x, const VecX&) -> VecX {
                            return scalar(-2 * std::sin(x[0]));
                        }),
            {0, scalar(1.2), scalar(0.4)},
            3};
}

/// x'' = -(4 + 2 cos 2t) x + sin 3t: both the force and its slope depend on time.
inline Problem driven() {
    return {"driven",
            DenseSystem(scalar(1),
                        [](double t, const VecX& x, const VecX&) -> VecX {
                            return scalar(-(4 + 2 * std::cos(2 * t)) * x[0] + std::sin(3 * t));
                        }),
            {0.3, scalar(1), scalar(0)},
            2.3};
}

/// Three particles of different mass on a string of springs that hangs from the origin:
///
///     0 ~~~ 1 ~~~ 2 ~~~ 3       E = k/2 (|d| - l)^2 per spring, damping c along it, gravity
inline Problem chain(double c) {
    VecX mass(9);
    mass << 1, 1, 1, 0.5, 0.5, 0.5, 2, 2, 2;
    const auto force = [=](double, const VecX& x, const VecX& v) -> VecX {
        VecX f = mass * 0;
        for (Index i = 0; i < 3; ++i) {
            const Vec3 d = vec3(x, i) - (i > 0 ? Vec3(vec3(x, i - 1)) : Vec3::Zero().eval());
            const Vec3 u = vec3(v, i) - (i > 0 ? Vec3(vec3(v, i - 1)) : Vec3::Zero().eval());
            const double length = d.norm();
            const Vec3 pull = (8 * (length - 0.9) + c * u.dot(d) / length) / length * d;
            vec3(f, i) -= pull;
            if (i > 0) vec3(f, i - 1) += pull;
            vec3(f, i)[2] -= 3 * mass[3 * i];
        }
        return f;
    };
    State start{0, VecX(9), VecX(9)};
    start.x << 1, 0.1, 0, 1.9, 0.3, 0.2, 2.7, 0.1, -0.3;
    start.v << 0.1, 0, 0.3, -0.2, 0.4, 0, 0, 0.2, 0.1;
    return {c > 0 ? "damped chain" : "chain", DenseSystem(mass, force), start, 1, c > 0};
}

/// sum += term, with what rounding loses kept in `lost` for the next term. [Kahan65]
inline void add_kept(const VecX& term, VecX& sum, VecX& lost) {
    const VecX wanted = term - lost, next = sum + wanted;
    lost = (next - sum) - wanted;
    sum = next;
}

/// The state at the end by many steps of the classical Runge-Kutta method, coded apart.
inline State runge_kutta(const Problem& problem, int steps) {
    const auto slope = [&](double t, const VecX& x, const VecX& v) -> VecX {
        return problem.system.of(t, x, v).cwiseQuotient(problem.system.mass);
    };
    State s = problem.start;
    const double h = (problem.end - s.t) / steps;
    VecX lost_x = VecX::Zero(s.x.size()), lost_v = lost_x;
    for (int i = 0; i < steps; ++i) {
        const double t = problem.start.t + i * h;
        const VecX a1 = slope(t, s.x, s.v), v1 = s.v;
        const VecX v2 = s.v + h / 2 * a1, a2 = slope(t + h / 2, s.x + h / 2 * v1, v2);
        const VecX v3 = s.v + h / 2 * a2, a3 = slope(t + h / 2, s.x + h / 2 * v2, v3);
        const VecX v4 = s.v + h * a3, a4 = slope(t + h, s.x + h * v3, v4);
        add_kept(h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), s.x, lost_x);
        add_kept(h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), s.v, lost_v);
    }
    s.t = problem.end;
    return s;
}

/// The state at the end to rounding: two runs, extrapolated in h^4.
inline State reference(const Problem& problem) {
    const State coarse = runge_kutta(problem, 4000);
    State fine = runge_kutta(problem, 8000);
    fine.x += (fine.x - coarse.x) / 15;
    fine.v += (fine.v - coarse.v) / 15;
    return fine;
}

inline std::unique_ptr<Integrator> fresh(const IntegratorEntry& entry) {
    auto made = entry.make(Settings());
    made->set_newton({.max_iterations = 50, .tolerance = 1e-13});
    return made;
}

/// The registered integrators that step any system, not springs alone (which every_spring_integrator.cpp
/// has its own contracts for).
inline std::vector<const IntegratorEntry*> general_integrators() {
    std::vector<const IntegratorEntry*> entries;
    for (const IntegratorEntry* entry : integrators())
        if (!entry->properties.needs_springs) entries.push_back(entry);
    return entries;
}

/// `steps` equal steps to the end; throws where one fails.
inline State run(Integrator& integrator, Problem problem, int steps) {
    State state = problem.start;
    const double h = (problem.end - state.t) / steps;
    for (int i = 0; i < steps; ++i) {
        const StepReport report = integrator.step(problem.system, state, h);
        if (!report.ok()) throw std::runtime_error(report.solve.message);
    }
    return state;
}

inline double distance(const State& a, const State& b) {
    return std::hypot((a.x - b.x).norm(), (a.v - b.v).norm());
}

}  // namespace taffeta::ode::testing

#pragma once

#include <Eigen/LU>
#include <limits>
#include <utility>
#include <vector>

#include "taffeta/ode/integrator.h"
#include "taffeta/ode/springs.h"

/// Particles on springs under gravity, for the methods that need springs and, with exact K and dense
/// solves, for backward Euler to compare with. Counters, failures on demand, and constraints by a
/// projector for each particle.
namespace taffeta::ode::testing {

class SpringNetwork final : public SecondOrderSystem, public SpringSystem {
  public:
    SpringNetwork(std::vector<double> mass, std::vector<Spring> made_of)
        : spring(std::move(made_of)),
          S(mass.size(), Mat3::Identity()),
          weight_(Eigen::Index(mass.size())) {
        for (std::size_t i = 0; i < mass.size(); ++i)
            weight_[Eigen::Index(i)] = 1 / mass[i];
    }

    std::vector<Spring> spring;
    Vec3 gravity = Vec3(0, -9.81, 0);
    double drag = 0;      ///< of f_ext = ... - drag v
    std::vector<Mat3> S;  ///< free directions
    VecX velocity;        ///< wanted in the others at the end of the step; empty: zero
    VecX start;           ///< velocity at the start of the step; empty: zero
    VecX y;               ///< position alteration; empty: none
    int evaluations = 0;
    int left = std::numeric_limits<int>::max();  ///< evaluations before one gives NaN

    void hold(Index particle) { S[std::size_t(particle)].setZero(); }

    std::span<const Spring> springs() const override { return spring; }
    const VecX& inverse_mass() const override { return weight_; }
    SpringSystem* spring_system() override { return this; }
    void external_force(double, const VecX&, const VecX& v, VecX& f) override {
        ++evaluations;
        f = -drag * v;
        for (Index i = 0; i < count(); ++i)
            vec3(f, i) += gravity / weight_[i];
        if (left-- <= 0) f.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    VecX last_force;
    void end_force(const VecX&, const VecX&, const VecX& f) override { last_force = f; }

    Eigen::Index size() const override { return 3 * weight_.size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override {
        external_force(t, x, v, f);
        for (const Spring& s : spring) {
            const Vec3 d = vec3(x, s.i) - vec3(x, s.j), u = vec3(v, s.i) - vec3(v, s.j);
            const Vec3 n = d.normalized();
            const Vec3 pull = (s.stiffness * (d.norm() - s.length) + s.damping * n.dot(u)) * n;
            vec3(f, s.i) -= pull;
            vec3(f, s.j) += pull;
        }
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f;
        for (Index i = 0; i < count(); ++i)
            vec3(a, i) *= weight_[i];
        constrain(a, 1);
        return {};
    }
    /// Without what the change of direction makes of damping, which Newton can do without.
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        K_.setZero(size(), size());
        D_ = drag * Eigen::MatrixXd::Identity(size(), size());
        for (const Spring& s : spring) {
            const Vec3 d = vec3(x, s.i) - vec3(x, s.j), n = d.normalized();
            const Mat3 along = n * n.transpose();
            const Mat3 across = (1 - s.length / d.norm()) * (Mat3::Identity() - along);
            add(K_, s, s.stiffness * (along + across));
            add(D_, s, s.damping * along);
        }
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override { out = matrix(c) * u; }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double, VecX& u) override {
        Eigen::MatrixXd P = Eigen::MatrixXd::Identity(size(), size());
        for (Index i = 0; i < count(); ++i)
            P.block<3, 3>(3 * i, 3 * i) = S[std::size_t(i)];
        const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(size(), size());
        u = P * (P * matrix(c) * P + (I - P)).partialPivLu().solve(P * rhs);
        return {};
    }
    void constrain(VecX& a, double h) override {
        for (Index i = 0; i < count(); ++i) {
            const Vec3 to = velocity.size() > 0 ? Vec3(vec3(velocity, i)) : Vec3::Zero().eval();
            const Vec3 from = start.size() > 0 ? Vec3(vec3(start, i)) : Vec3::Zero().eval();
            const Vec3 wanted = (to - from) / h;
            vec3(a, i) = S[std::size_t(i)] * (vec3(a, i) - wanted).eval() + wanted;
        }
    }
    void project(VecX& r) override {
        for (Index i = 0; i < count(); ++i)
            vec3(r, i) = (S[std::size_t(i)] * vec3(r, i)).eval();
    }
    double force_scale() const override { return 1; }
    const VecX* position_alteration() const override { return y.size() > 0 ? &y : nullptr; }

    /// Kinetic energy, that of the springs, and weight.
    double energy(const State& state) const {
        double sum = 0;
        for (Index i = 0; i < count(); ++i)
            sum +=
                (vec3(state.v, i).squaredNorm() / 2 - gravity.dot(vec3(state.x, i))) / weight_[i];
        for (const Spring& s : spring) {
            const double C = (vec3(state.x, s.i) - vec3(state.x, s.j)).norm() - s.length;
            sum += s.stiffness * C * C / 2;
        }
        return sum;
    }

  private:
    Index count() const { return Index(weight_.size()); }
    static void add(Eigen::MatrixXd& A, const Spring& s, const Mat3& B) {
        A.block<3, 3>(3 * s.i, 3 * s.i) += B;
        A.block<3, 3>(3 * s.j, 3 * s.j) += B;
        A.block<3, 3>(3 * s.i, 3 * s.j) -= B;
        A.block<3, 3>(3 * s.j, 3 * s.i) -= B;
    }
    Eigen::MatrixXd matrix(const Coefficients& c) const {
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size(), size());
        if (c.d != 0) A += c.d * D_;
        if (c.k != 0) A += c.k * K_;
        for (Index i = 0; i < count(); ++i)
            A.diagonal().segment<3>(3 * i).array() += c.m / weight_[i];
        return A;
    }

    VecX weight_;
    Eigen::MatrixXd K_, D_;
};

/// A network, where it starts.
struct SpringProblem {
    SpringNetwork system;
    State start;
};

inline State placed(const std::vector<Vec3>& position) {
    State state{0, VecX(3 * Eigen::Index(position.size())), {}};
    for (std::size_t i = 0; i < position.size(); ++i)
        vec3(state.x, Index(i)) = position[i];
    state.v = VecX::Zero(state.x.size());
    return state;
}

/// One particle of 1 kg on a spring, horizontally beside the place where it is held:
///
///     0 ~~~ 1      gravity down
inline SpringProblem spring_pendulum(double stiffness) {
    SpringProblem made{{{1, 1}, {{0, 1, 1, stiffness, 0}}}, placed({{0, 0, 0}, {1, 0, 0}})};
    made.system.hold(0);
    return made;
}

/// 0 ~~~ 1 ~~~ 2 , not in one line, the first held; moving.
inline SpringProblem two_links(double stiffness, double damping) {
    SpringProblem made{{{1, 1, 1}, {{0, 1, 1, stiffness, damping}, {1, 2, 1, stiffness, damping}}},
                       placed({{0, 0, 0}, {0.8, -0.7, 0.1}, {1.9, -0.6, 0}})};
    made.system.hold(0);
    made.start.v << 0, 0, 0, 0.5, 0, -0.3, 0, 1, 0.2;
    return made;
}

/// A square sheet of side x side particles, springs along edges, both diagonals and every second
/// edge, held at two corners, wavy and moving.
inline SpringProblem spring_sheet(Index side, double stiffness, double damping) {
    std::vector<Vec3> position;
    std::vector<double> mass;
    for (Index row = 0; row < side; ++row)
        for (Index column = 0; column < side; ++column) {
            position.emplace_back(0.1 * column, 0.1 * row, 0);
            mass.push_back(0.01 + 0.001 * ((row + 2 * column) % 3));
        }
    std::vector<Spring> springs;
    const int steps[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}};
    for (const auto& [across, up] : steps)
        for (Index row = 0; row < side; ++row)
            for (Index column = 0; column < side; ++column) {
                const Index c = column + across, r = row + up;
                if (c >= side || r < 0 || r >= side) continue;
                const Index i = row * side + column, j = r * side + c;
                const double length = (position[std::size_t(i)] - position[std::size_t(j)]).norm();
                springs.push_back({i, j, length, stiffness * 0.1 / length, damping});
            }
    SpringProblem made{{mass, springs}, placed(position)};
    made.system.hold(side * side - 1);
    made.system.hold(side * side - side);
    for (Eigen::Index i = 0; i < made.start.x.size(); i += 3) {
        made.start.x[i + 2] = 0.02 * std::sin(double(i));
        made.start.v[i + 1] = 0.1 * std::cos(double(i));
    }
    vec3(made.start.v, side * side - 1).setZero();
    vec3(made.start.v, side * side - side).setZero();
    return made;
}

inline std::unique_ptr<Integrator> spring_method(const char* key, const Settings& options) {
    return find_entry(integrators(), "integrator", key).make(options);
}

/// The end of one step of backward Euler, by Newton to rounding.
inline State backward_euler_end(SpringProblem problem, double h) {
    const auto euler = spring_method("backward_euler", {});
    euler->set_newton({.max_iterations = 200, .tolerance = 1e-14});
    const StepReport report = euler->step(problem.system, problem.start, h);
    if (!report.ok()) throw std::runtime_error(report.solve.message);
    return problem.start;
}

}  // namespace taffeta::ode::testing

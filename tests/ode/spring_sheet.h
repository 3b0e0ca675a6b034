#pragma once

#include <Eigen/LU>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "taffeta/ode/integrator.h"

/// A hanging sheet of 9 x 9 particles, the problem on which the reference numbers of nonlinear
/// solvers were measured: 1 m wide, 0.2 kg, springs of E = 1/2 k (|d|/l - 1)^2 with k = 1 J along
/// the sides, the diagonals and every second side of the cells, held at two corners.
///
///     o===+===+===o   <- held             the 398 springs of a vertex:
///     | \ | / | \ |                           \ | /
///     +---+---+---+                          --- ---   and two cells along each side
///     | / | \ | / |                           / | \ .
///     +---+---+---+   gravity out of the plane
///
/// K by choice: the exact one, the one without the part of pressed springs that is not positive
/// (clamped), or [Hauth03] eq. 50 in its right sign, sum k/l^2, a Laplacian for each coordinate with
/// a third of the non-zeros. Linear systems directly, or to a tolerance by conjugate gradients with
/// the diagonal.
namespace taffeta::ode::testing {

class SpringSheet final : public SecondOrderSystem {
  public:
    enum class Stiffness { exact, clamped, laplacian };

    struct Spring {
        Index i, j;
        double length;
    };

    explicit SpringSheet(Stiffness form = Stiffness::exact) : stiffness(form), rest_(3 * count) {
        for (Index row = 0; row < side; ++row)
            for (Index column = 0; column < side; ++column)
                vec3(rest_, row * side + column) = Vec3(column, row, 0) / (side - 1);
        const int steps[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}};
        for (Index row = 0; row < side; ++row)
            for (Index column = 0; column < side; ++column)
                for (const auto& [across, up] : steps) {
                    const Index c = column + across, r = row + up;
                    if (c < 0 || c >= side || r < 0 || r >= side) continue;
                    const Index i = row * side + column, j = r * side + c;
                    springs.push_back({i, j, (vec3(rest_, i) - vec3(rest_, j)).norm()});
                }
    }

    static constexpr Index side = 9, count = side * side;
    static constexpr double mass = 0.2 / count, gravity = 9.81;

    Stiffness stiffness;
    double k = 1;
    std::vector<Spring> springs;

    State at_rest() const { return {0, rest_, VecX::Zero(3 * count)}; }
    /// As the flat sheet is after `steps` of 0.01 s by backward Euler.
    static State fallen(int steps) {
        SpringSheet sheet;
        State state = sheet.at_rest();
        const auto euler =
            find_entry(integrators(), "integrator", "backward_euler").make(Settings());
        euler->set_newton({.max_iterations = 50, .tolerance = 1e-11});
        for (int i = 0; i < steps; ++i)
            if (const StepReport report = euler->step(sheet, state, 0.01); !report.ok())
                throw std::runtime_error(report.solve.message);
        return state;
    }

    static bool held(Index vertex) { return vertex == 0 || vertex == side - 1; }

    /// K at x, all particles, in the chosen form.
    Eigen::MatrixXd stiffness_at(const VecX& x) const {
        Eigen::MatrixXd K = Eigen::MatrixXd::Zero(3 * count, 3 * count);
        for (const Spring& spring : springs) {
            const Vec3 d = vec3(x, spring.i) - vec3(x, spring.j);
            const double length = d.norm();
            const double axial = k / (spring.length * spring.length);
            double across = axial * (1 - spring.length / length);  // tension over length
            if (stiffness == Stiffness::clamped) across = std::max(across, 0.0);
            const Mat3 along = d * d.transpose() / (length * length);
            Mat3 B = axial * along + across * (Mat3::Identity() - along);
            if (stiffness == Stiffness::laplacian) B = axial * Mat3::Identity();
            K.block<3, 3>(3 * spring.i, 3 * spring.i) += B;
            K.block<3, 3>(3 * spring.j, 3 * spring.j) += B;
            K.block<3, 3>(3 * spring.i, 3 * spring.j) -= B;
            K.block<3, 3>(3 * spring.j, 3 * spring.i) -= B;
        }
        return K;
    }

    Eigen::Index size() const override { return 3 * count; }
    void force(double, const VecX& x, const VecX&, VecX& f) override {
        f.setZero(size());
        for (Index i = 0; i < count; ++i)
            f[3 * i + 2] = -gravity * mass;
        for (const Spring& spring : springs) {
            const Vec3 d = vec3(x, spring.i) - vec3(x, spring.j);
            const double l = spring.length, length = d.norm();
            const Vec3 pull = k * (length / l - 1) / (l * length) * d;
            vec3(f, spring.i) -= pull;
            vec3(f, spring.j) += pull;
        }
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f / mass;
        project(a);
        return {};
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        K_ = stiffness_at(x);
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& c, const VecX& u, VecX& out) override {
        out = c.m * mass * u;
        if (c.k != 0) out.noalias() += c.k * (K_ * u);
    }
    SolveReport solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) override {
        Eigen::MatrixXd A = c.k * K_;
        A.diagonal().array() += c.m * mass;
        for (const Index vertex : {Index(0), side - 1}) {
            A.middleRows<3>(3 * vertex).setZero();
            A.middleCols<3>(3 * vertex).setZero();
            A.block<3, 3>(3 * vertex, 3 * vertex).setIdentity();
        }
        VecX b = rhs;
        project(b);
        if (tolerance > 0) return diagonal_pcg(A, b, tolerance, u);
        u = A.partialPivLu().solve(b);
        return {};
    }
    void project(VecX& r) override {
        vec3(r, 0).setZero();
        vec3(r, side - 1).setZero();
    }
    void constrain(VecX& a, double) override { project(a); }
    bool force_persists() const override { return true; }

  private:
    /// Until |b - A u| <= tolerance |b|, from u = 0.
    static SolveReport diagonal_pcg(const Eigen::MatrixXd& A, const VecX& b, double tolerance,
                                    VecX& u) {
        SolveReport report;
        VecX r = b, z, p, q;
        double rho = 0;
        u.setZero();
        while (r.norm() > tolerance * b.norm() && report.iterations < 1000) {
            z = r.cwiseQuotient(A.diagonal());
            const double before = rho;
            rho = r.dot(z);
            p = report.iterations == 0 ? z : VecX(z + rho / before * p);
            q = A * p;
            const double alpha = rho / p.dot(q);
            u += alpha * p;
            r -= alpha * q;
            ++report.iterations;
        }
        return report;
    }

    VecX rest_;
    Eigen::MatrixXd K_;
};

}  // namespace taffeta::ode::testing

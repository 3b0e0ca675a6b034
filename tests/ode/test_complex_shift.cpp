#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "ode/problems.h"
#include "taffeta/ode/collocation.h"

/// The complex systems of coupled stages against dense complex algebra, and the bound on their
/// iterations that holds for every stiffness and size.
namespace taffeta::ode {
namespace {

using namespace testing;
using Complex = std::complex<double>;
using MatXc = Eigen::MatrixXcd;

struct SpringLine {
    DenseSystem system;
    MatX M, D, K;
};

/// n masses in a line, springs of that stiffness between them and a wall, and dashpots:
///
///     wall ~~ m ~~ m ~~ m ..
SpringLine spring_line(Eigen::Index n, double stiffness, double damping) {
    MatX L = MatX::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
        L(i, i) = i + 1 < n ? 2 : 1;
        if (i > 0) L(i, i - 1) = L(i - 1, i) = -1;
    }
    const MatX K = stiffness * L, D = damping * L;
    const VecX mass = VecX::LinSpaced(n, 1, 2);
    DenseSystem system(
        mass, [=](double, const VecX& x, const VecX& v) -> VecX { return -K * x - D * v; });
    system.linearize(0, VecX::Zero(n), VecX::Zero(n), nullptr);
    return {system, mass.asDiagonal(), D, K};
}

VecXc right_side(Eigen::Index n) {
    VecXc r(n);
    for (Eigen::Index i = 0; i < n; ++i)
        r[i] = Complex(std::sin(1.0 + double(i)), std::cos(3.0 * double(i)));
    return r;
}

/// The complex eigenvalue of the tableau in the upper half plane.
Complex eigenvalue(const std::vector<double>& nodes) {
    const Tableau tableau = collocation_tableau(nodes);
    const auto n = Eigen::Index(nodes.size());
    MatX A(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j)
            A(i, j) = tableau.at(std::size_t(i), std::size_t(j));
    const VecXc values = Eigen::EigenSolver<MatX>(A).eigenvalues();
    for (const Complex& value : values)
        if (value.imag() > 0) return value;
    return 0;
}

TEST(ComplexShift, IsTheDenseSolution) {
    for (const double damping : {0.0, 3.0}) {
        SpringLine line = spring_line(12, 50, damping);
        const Complex mu = 0.4 * eigenvalue(radau_nodes(3));
        const VecXc r = right_side(12);
        ComplexShiftSolver solver;
        StepReport report;
        VecXc w;

        ASSERT_TRUE(solver.solve(line.system, mu, r, 1e-12, 0, w, report));

        const MatXc A =
            line.M.cast<Complex>() + mu * line.D.cast<Complex>() + mu * mu * line.K.cast<Complex>();
        EXPECT_LE((A * w - r).norm(), 3e-12 * r.norm());
        EXPECT_LE((w - A.partialPivLu().solve(r)).norm(), 1e-9 * w.norm());
        EXPECT_LE(report.linear_solves, 2 * 12);  // exact after as many iterations as unknowns
    }
}

TEST(ComplexShift, NeedsNoMoreIterationsForStifferOrLargerSystems) {
    // tan(p/2) an iteration for mu = |mu| e^(i p), plus one for the constant before it
    for (const auto& nodes : {gauss_nodes(2), gauss_nodes(3), radau_nodes(2), radau_nodes(3)}) {
        const Complex value = eigenvalue(nodes);
        const double factor = std::tan(0.5 * std::arg(value));
        const int bound = 2 + int(std::ceil(std::log(1e-6) / std::log(factor)));
        for (const Eigen::Index n : {20, 80})
            for (const double stiffness : {1.0, 1e3, 1e6, 1e9})
                for (const double damping : {0.0, 1.0, 1e5}) {
                    SpringLine line = spring_line(n, stiffness, damping);
                    ComplexShiftSolver solver;
                    StepReport report;
                    VecXc w;

                    EXPECT_TRUE(
                        solver.solve(line.system, 0.1 * value, right_side(n), 1e-6, 0, w, report));

                    EXPECT_LE(report.linear_solves, 2 * bound)
                        << nodes.size() << ' ' << n << ' ' << stiffness << ' ' << damping;
                }
    }
}

TEST(ComplexShift, KeepsToTheFreeDirections) {
    SpringLine line = spring_line(9, 50, 1);
    line.system.start = VecX::Zero(9);
    line.system.S.topLeftCorner<3, 3>().setZero();
    const Complex mu = 0.4 * eigenvalue(gauss_nodes(2));
    VecXc r = right_side(9);
    r.head<3>().setZero();
    ComplexShiftSolver solver;
    StepReport report;
    VecXc w;

    ASSERT_TRUE(solver.solve(line.system, mu, r, 1e-12, 0, w, report));

    const MatXc A =
        line.M.cast<Complex>() + mu * line.D.cast<Complex>() + mu * mu * line.K.cast<Complex>();
    EXPECT_EQ(w.head<3>().norm(), 0);
    EXPECT_LE((A * w - r).tail<6>().norm(), 1e-11 * r.norm());
}

TEST(Collocation, OfALinearSystemTakesTheExactStagesWhateverTheStep) {
    // The stages of Radau IIA of order five for h omega up to 1e3, against one dense system.
    const Tableau tableau = collocation_tableau(radau_nodes(3));
    for (const double h : {1e-3, 0.1, 10.0}) {
        SpringLine line = spring_line(6, 2e3, 0.5);
        line.system.scale = 1e3;
        const Eigen::Index n = 6;
        State state{0, VecX::LinSpaced(n, 0.1, 0.3), VecX::LinSpaced(n, -1, 1)};
        MatX all = MatX::Zero(3 * n, 3 * n);
        VecX rhs(3 * n), x = state.x, v = state.v;
        MatX A(3, 3);
        for (Eigen::Index i = 0; i < 3; ++i)
            for (Eigen::Index j = 0; j < 3; ++j)
                A(i, j) = tableau.at(std::size_t(i), std::size_t(j));
        const MatX square = A * A;
        for (Eigen::Index i = 0; i < 3; ++i) {
            const double c = tableau.c[std::size_t(i)];
            rhs.segment(i * n, n) = -line.K * (x + c * h * v) - line.D * v;
            for (Eigen::Index j = 0; j < 3; ++j)
                all.block(i * n, j * n, n, n) = (i == j ? 1 : 0) * line.M + h * A(i, j) * line.D +
                                                h * h * square(i, j) * line.K;
        }
        const VecX a = all.partialPivLu().solve(rhs);
        for (Eigen::Index j = 0; j < 3; ++j) {
            x += h * h * square(2, j) * a.segment(j * n, n);
            v += h * A(2, j) * a.segment(j * n, n);
        }
        x += h * state.v;
        const auto radau = fresh(find_entry(integrators(), "integrator", "radau_iia5"));

        const StepReport report = radau->step(line.system, state, h);

        ASSERT_TRUE(report.ok()) << report.solve.message;
        EXPECT_LE((state.x - x).norm(), 1e-9 * x.norm()) << h;
        EXPECT_LE((state.v - v).norm(), 1e-9 * v.norm() + 1e-12) << h;
        EXPECT_LE(report.newton_iterations, 6) << h;
    }
}

}  // namespace
}  // namespace taffeta::ode

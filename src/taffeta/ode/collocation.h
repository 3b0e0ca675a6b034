#pragma once

#include "taffeta/ode/complex_shift.h"
#include "taffeta/ode/method.h"
#include "taffeta/ode/tableau.h"

/// Collocation methods: implicit Runge-Kutta methods whose stages are solved together,
///
///     v_i = v + h sum_j a_ij A_j        x_i = x + c_i h v + h^2 sum_j (A^2)_ij A_j
///     M A_i = f(t + c_i h, x_i, v_i)    a_ij = int_0^c_i l_j,  b_j = int_0^1 l_j
///
/// with l_j the Lagrange polynomials of the nodes c. Newton's method with K and D of the middle stage
/// asks for (1 (x) M + h A (x) D + h^2 A^2 (x) K) d = r. With A = T Lambda T^-1 this falls apart into
/// one system M + h l D + (h l)^2 K per eigenvalue l of A: the real one has the matrix of every other
/// implicit method; of each conjugate pair one is solved in complex arithmetic (complex_shift.h).
/// [HairerWanner96] section IV.8
namespace taffeta::ode {

/// The tableau of these nodes.
Tableau collocation_tableau(const std::vector<double>& nodes);
/// Gauss: order 2 s, symplectic, A-stable. Radau IIA: order 2 s - 1, L-stable, ends at its last stage.
std::vector<double> gauss_nodes(int stages);
std::vector<double> radau_nodes(int stages);

class Collocation final : public Method {
  public:
    explicit Collocation(const std::vector<double>& nodes);

    StepReport step(SecondOrderSystem& system, State& state, double h) override;
    void set_newton(const NewtonOptions& options) override { newton_ = options; }

  private:
    using Stages = std::vector<VecX>;
    /// An eigenvalue of A with its column of T and its row of T^-1.
    struct Mode {
        std::complex<double> value;
        Eigen::VectorXcd column, row;
    };

    /// r_i = S (f_i - M A_i) and the norm of all; places the stages.
    double residual(SecondOrderSystem& system, const State& state, double h, const Stages& a,
                    Stages& r, StepReport& report);
    /// What rounding makes of that norm, after `linearize`.
    double rounding_floor(SecondOrderSystem& system);
    bool newton(SecondOrderSystem& system, const State& state, double h, StepReport& report);
    /// The correction of all stages into correction_.
    bool correct(SecondOrderSystem& system, double h, StepReport& report);

    const Tableau tableau_;
    const std::size_t count_;
    Eigen::MatrixXd square_;   ///< A^2
    std::vector<Mode> modes_;  ///< of each pair the one in the upper half plane
    NewtonOptions newton_;
    ComplexShiftSolver complex_;
    Stages stage_x_, stage_v_, stage_a_, residual_, trial_a_, trial_residual_, correction_;
    VecX real_rhs_, real_solution_, inertia_;
    VecXc rhs_, solution_;
};

}  // namespace taffeta::ode

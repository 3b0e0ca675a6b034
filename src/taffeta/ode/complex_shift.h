#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "taffeta/ode/integrator.h"

/// Solves S (M + mu D + mu^2 K) w = S r, w in range(S), for a complex mu with a system that can only
/// solve for real weights.
///
/// The real matrix of the same size, C = M + |mu| D + |mu|^2 K, is the preconditioner of flexible
/// GMRES [Saad93] in complex arithmetic. With mu = |mu| e^(i p), and divided by e^(i p), the
/// preconditioned matrix has its eigenvalues among the weighted means of e^(-i p), 1 and e^(i p), for
/// every positive M, D and K: whatever the stiffness and the mesh, the residual falls about tan(p/2)
/// times an iteration, 0.27 to 0.45 for the methods here. Flexible, because C^-1 itself is applied by
/// an iteration that stops somewhere. Small systems end exactly, in as many iterations as they have
/// unknowns. Why not the real matrix of twice the size? Its eigenvalues are those and their
/// conjugates, so real GMRES takes twice the iterations; and P = M + Re mu D + Re mu^2 K, which such
/// a form would like to invert, is indefinite for Radau IIA of order five.
namespace taffeta::ode {

using VecXc = Eigen::VectorXcd;

class ComplexShiftSolver {
  public:
    /// About the frozen K and D of `system`; stops at |residual| <= tolerance |S r|. Adds the solves
    /// to the report and leaves there why it failed.
    bool solve(SecondOrderSystem& system, std::complex<double> mu, const VecXc& r, double tolerance,
               double linear_tolerance, VecXc& w, StepReport& report);

  private:
    static constexpr int most_vectors = 60, most_cycles = 5;

    /// One cycle; the norm of the residual after it, or below zero when a real solve failed.
    double cycle(SecondOrderSystem& system, std::complex<double> mu, double goal,
                 double linear_tolerance, VecXc& w, StepReport& report);
    bool precondition(SecondOrderSystem& system, double size, double linear_tolerance,
                      const VecXc& r, VecXc& z, StepReport& report);
    /// q = S (M + mu D + mu^2 K) z
    void apply(SecondOrderSystem& system, std::complex<double> mu, const VecXc& z, VecXc& q);
    /// Makes column `column` of H triangular by the rotations so far and one more.
    void rotate(int column);
    void add_combination(int columns, VecXc& w);

    std::vector<VecXc> basis_, directions_;
    Eigen::MatrixXcd H_{most_vectors + 1, most_vectors};
    Eigen::VectorXcd sine_{most_vectors}, projected_{most_vectors + 1}, weight_{most_vectors};
    VecX cosine_{most_vectors};
    VecXc residual_, product_;
    VecX part_, image_, solution_;
};

}  // namespace taffeta::ode

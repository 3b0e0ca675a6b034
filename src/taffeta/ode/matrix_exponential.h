#pragma once

#include <Eigen/Core>
#include <Eigen/LU>

namespace taffeta::ode {

/// exp(A) of a small dense matrix: the diagonal Pade approximation of degree 13 of exp(A/2^s), with
/// |A/2^s|_1 <= 5.37, squared s times. Exact to rounding times the growth of the powers.
/// [Higham05] Keeps its scratch: nothing is allocated after the first matrix of a size.
class MatrixExponential {
  public:
    /// `A` is finite.
    const Eigen::MatrixXd& of(const Eigen::MatrixXd& A);

  private:
    Eigen::MatrixXd scaled_, A2_, A4_, A6_, odd_, even_, result_, product_;
    Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace taffeta::ode

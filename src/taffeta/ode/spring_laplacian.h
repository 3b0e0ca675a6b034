#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <vector>

#include "taffeta/ode/spring_method.h"

/// The constant matrix of projective dynamics on springs, the same for each coordinate,
///
///     A = M/h^2 + sum over springs of (k + c/h) (e_i - e_j)(e_i - e_j)'              [BMLSP14] eq. 10
///
/// over the particles that are free to move, with its Cholesky factor, and the forces of springs.
namespace taffeta::ode {

class SpringLaplacian {
  public:
    /// Factors anew only where h, a spring, a mass or the set of held particles has changed.
    SolveReport prepare(std::span<const Spring> springs, const Mobility& mobility, double h);

    /// r = -M/h^2 (x - target) + the forces of the springs at x, their velocities being
    /// (x - start)/h. What is left where that vanishes is backward Euler. Zero where a particle is
    /// held. `forces`: those of the springs alone, and of held particles too.
    void residual(const VecX& target, const VecX& start, const VecX& x, VecX& r, VecX& forces);
    /// out = A u, where u is zero on the particles that are held.
    void apply(const VecX& u, VecX& out) const;
    /// u = A^-1 r; zero on the particles that are held.
    void solve(const VecX& r, VecX& u);
    /// u = (S A S)^-1 r for r in range(S) where S holds some particles in some directions only, which
    /// couples the coordinates: by conjugate gradients, with `solve` as preconditioner.
    SolveReport solve_filtered(SecondOrderSystem& system, const VecX& r, VecX& u);

    /// Of A over the particles that are free, for one coordinate, both triangles.
    long nonzeros() const { return nonzeros_; }

    /// How often a factor was computed.
    int factorisations() const { return factorisations_; }

  private:
    void connect(Index particles);
    SolveReport factor();
    /// Copies L, and numbers the free particles in its order.
    void take_factor();

    std::vector<Spring> springs_;
    VecX inverse_mass_;
    double h_ = 0;
    bool factored_ = false;
    int factorisations_ = 0;
    /// Per particle its springs, as 2 k where it is the end i of spring k and 2 k + 1 where j.
    std::vector<Index> end_begin_, end_;
    std::vector<Index> free_;  ///< number in the order of elimination, or -1
    Index free_count_ = 0;
    long nonzeros_ = 0;
    Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> cholesky_;
    /// What the solve reads of L, by columns without the diagonal.
    std::vector<Index> column_begin_, row_;
    std::vector<double> value_, inverse_diagonal_;
    std::vector<Vec3> force_;  ///< of each spring on its end i
    /// The three coordinates of an unknown side by side, and one to fill a vector register: L is read once
    /// for all of them.
    Eigen::Matrix<double, 4, Eigen::Dynamic> unknown_;
    VecX rest_, z_, p_, q_;  ///< of the conjugate gradients
};

}  // namespace taffeta::ode

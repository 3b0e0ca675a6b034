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

    /// How often a factor was computed.
    int factorisations() const { return factorisations_; }

  private:
    void connect(Index particles);
    SolveReport factor();

    std::vector<Spring> springs_;
    VecX inverse_mass_;
    double h_ = 0;
    bool factored_ = false;
    int factorisations_ = 0;
    /// Per particle its springs, as 2 k where it is the end i of spring k and 2 k + 1 where j.
    std::vector<Index> end_begin_, end_;
    std::vector<Index> free_;  ///< number in the order of elimination, or -1
    Index free_count_ = 0;
    Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> cholesky_;
    std::vector<Vec3> force_;  ///< of each spring on its end i
    Eigen::MatrixXd unknown_;  ///< #free x 3
};

}  // namespace taffeta::ode

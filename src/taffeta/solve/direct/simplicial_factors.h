#pragma once

#include <Eigen/SparseCholesky>

#include "taffeta/solve/direct/factors.h"

namespace taffeta::solve {

/// L D L' number by number, by Eigen. It goes on past negative pivots, so it can tell of a matrix
/// that is not positive definite where and by how much.
class SimplicialFactors final : public Factors {
  public:
    Triangle::Half half() const override { return Triangle::Half::upper; }
    SolveReport analyse(const Triangle& B) override;
    SolveReport factorize(const Triangle& B) override;
    void pivots(VecX& D) const override { D = factors_.vectorD(); }
    SolveReport solve(const VecX& r, VecX& y) override;
    std::size_t bytes() const override;

  private:
    // The upper triangle in the order as it is: the one case in which Eigen copies nothing.
    Eigen::SimplicialLDLT<Triangle::Matrix, Eigen::Upper, Eigen::NaturalOrdering<int>> factors_;
};

}  // namespace taffeta::solve

#pragma once

#include <Eigen/LU>
#include <functional>

#include "taffeta/ode/study/problem.h"

namespace taffeta::ode::study {

/// M x'' = f(t, x, v) with a diagonal M and a few unknowns: dense slopes, direct solves.
class SmallSystem final : public SecondOrderSystem {
  public:
    using Force = std::function<void(double t, const VecX& x, const VecX& v, VecX& f)>;
    /// K = -df/dx and D = -df/dv, which arrive as zeros of the right size.
    using Slopes = std::function<void(double t, const VecX& x, const VecX& v, Eigen::MatrixXd& K,
                                      Eigen::MatrixXd& D)>;

    /// `force_scale`: the size of forces that matter, see `SecondOrderSystem`.
    SmallSystem(VecX masses, double force_scale, Force force, Slopes slopes)
        : mass_(std::move(masses)),
          scale_(force_scale),
          force_(std::move(force)),
          slopes_(std::move(slopes)) {}

    Eigen::Index size() const override { return mass_.size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override;
    SolveReport solve_mass(const VecX& f, VecX& a) override;
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override;
    void apply(const Coefficients& c, const VecX& u, VecX& out) override;
    SolveReport solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) override;
    double force_scale() const override { return scale_; }
    bool force_persists() const override { return true; }

  private:
    VecX mass_;
    double scale_;
    Force force_;
    Slopes slopes_;
    Eigen::MatrixXd K_, D_, A_;
    Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
};

/// The cost of a dense system of n unknowns whose force takes `force` operations: slopes as n
/// forces, LU factors in 2/3 n^3.
Cost small_cost(double n, double force);

/// x'' = -stiffness (x - rest) - damping x' from (x, v), with its solution and its energy.
std::unique_ptr<Problem> linear_oscillator(double stiffness, double damping, double rest, double x,
                                           double v, double end);

}  // namespace taffeta::ode::study

#pragma once

#include "taffeta/ode/system.h"

/// First-order systems y' = f(t, y), Dahlquist's y' = lambda y among them, for every integrator.
namespace taffeta::ode {

class FirstOrderSystem {
  public:
    virtual ~FirstOrderSystem() = default;

    virtual Eigen::Index size() const = 0;
    /// f(t, y). Counts as one force evaluation.
    virtual void rate(double t, const VecX& y, VecX& f) = 0;
    /// J = df/dy, dense. By default by central differences, with an error of about 1e-10 relative.
    virtual void jacobian(double t, const VecX& y, Eigen::MatrixXd& J);
};

/// A first-order system as a second-order one, M = 1, v = y and x the integral of y, which no force
/// sees: with K = 0 and D = -df/dy each method of (x, v) becomes the method of that name for y.
/// Why not a second interface of the integrators? So the code that is studied on y' = lambda y is
/// the code that runs a garment. Methods whose order is lower with damping keep the lower one here.
class FirstOrderAdapter final : public SecondOrderSystem {
  public:
    /// The system must outlive the adapter.
    explicit FirstOrderAdapter(FirstOrderSystem& system) : system_(system) {}
    /// The state with that y: x = 0, v = y.
    State state(double t, const VecX& y) const { return {t, VecX::Zero(y.size()), y}; }

    Eigen::Index size() const override { return system_.size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override;
    SolveReport solve_mass(const VecX& f, VecX& a) override;
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override;
    void apply(const Coefficients& c, const VecX& u, VecX& out) override;
    SolveReport solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) override;
    bool force_persists() const override { return true; }

  private:
    FirstOrderSystem& system_;
    Eigen::MatrixXd jacobian_;
};

}  // namespace taffeta::ode

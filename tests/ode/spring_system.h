#pragma once

#include <cmath>

#include "taffeta/ode/system.h"

namespace taffeta::ode {

/// m x'' = -k x - c v - q x^3, one degree of freedom, with counters. x may be held to a prescribed
/// acceleration.
class SpringSystem final : public SecondOrderSystem {
  public:
    double m = 1, k = 1, c = 0, q = 0;
    bool held = false;
    double held_acceleration = 0;
    int force_evaluations = 0;

    Eigen::Index size() const override { return 1; }
    void force(double, const VecX& x, const VecX& v, VecX& f) override {
        ++force_evaluations;
        f = VecX::Constant(1, -k * x[0] - c * v[0] - q * std::pow(x[0], 3));
    }
    SolveReport solve_mass(const VecX& f, VecX& a) override {
        a = f / m;
        return {};
    }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override {
        stiffness_ = k + 3 * q * x[0] * x[0];
        if (f) force(t, x, v, *f);
    }
    void apply(const Coefficients& w, const VecX& u, VecX& out) override {
        out = (w.m * m + w.d * c + w.k * stiffness_) * u;
    }
    SolveReport solve(const Coefficients& w, const VecX& rhs, double, VecX& u) override {
        u = held ? VecX::Zero(1) : VecX(rhs / (w.m * m + w.d * c + w.k * stiffness_));
        return {};
    }
    void constrain(VecX& a, double) override {
        if (held) a[0] = held_acceleration;
    }
    void project(VecX& r) override {
        if (held) r.setZero();
    }

  private:
    double stiffness_ = 0;
};

}  // namespace taffeta::ode

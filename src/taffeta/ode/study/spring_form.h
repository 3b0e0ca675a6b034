#pragma once

#include "taffeta/ode/springs.h"
#include "taffeta/ode/study/problem.h"

namespace taffeta::ode::study {

/// A problem on springs with its held particles among the unknowns, as the methods want it that step
/// particles on springs: x = (free ones, held ones), S = 0 on the held ones, whose places are given.
class SpringForm final : public SecondOrderSystem, public SpringSystem {
  public:
    /// The problem has springs (`Problem::springs`), and outlives this.
    explicit SpringForm(Problem& problem);

    State with_held(const State& state) const;
    State without_held(const State& state) const;

    Eigen::Index size() const override { return free_ + held_.size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override;
    SolveReport solve_mass(const VecX& f, VecX& a) override;
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override;
    void apply(const Coefficients& c, const VecX& u, VecX& out) override;
    SolveReport solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) override;
    void constrain(VecX& a, double h) override;
    void project(VecX& r) override;
    double force_scale() const override { return system_.force_scale(); }
    bool force_persists() const override { return system_.force_persists(); }
    SpringSystem* spring_system() override { return this; }

    std::span<const Spring> springs() const override { return springs_; }
    const VecX& inverse_mass() const override { return inverse_mass_; }
    void external_force(double t, const VecX& x, const VecX& v, VecX& f) override;

  private:
    /// Makes `out` one value for each unknown, `free` and zeros.
    void extend(const VecX& free, VecX& out) const;

    SecondOrderSystem& system_;
    const ProblemSprings& of_;
    const std::vector<Spring>& springs_;
    const Eigen::Index free_;  ///< unknowns
    const VecX& held_;
    VecX inverse_mass_, x_, v_, part_;
};

}  // namespace taffeta::ode::study

#pragma once

#include "taffeta/ode/springs.h"
#include "taffeta/ode/study/problem.h"
#include "taffeta/ode/system.h"

namespace taffeta::ode::study {

struct Counts {
    long steps = 0;
    long forces = 0;  ///< of springs too, where only the other forces are asked for
    long masses = 0;  ///< M^-1
    long linearisations = 0;
    long products = 0;
    long solves = 0;
    long iterations = 0;  ///< of the linear solves
    long newtons = 0;     ///< Newton iterations

    /// Floating-point operations by the problem's model, with 10 n a force for the method's own
    /// vectors: an estimate, good to compare methods on one problem.
    double flops(const Cost& cost, Eigen::Index unknowns) const;
};

/// Passes everything on, the springs too, and counts.
class CountingSystem final : public SecondOrderSystem {
  public:
    /// Both must outlive this.
    CountingSystem(SecondOrderSystem& system, Counts& counts)
        : system_(system), counts_(counts), springs_(counts) {}

    Eigen::Index size() const override { return system_.size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override;
    SolveReport solve_mass(const VecX& f, VecX& a) override;
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override;
    void apply(const Coefficients& c, const VecX& u, VecX& out) override;
    SolveReport solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) override;
    void constrain(VecX& a, double h) override { system_.constrain(a, h); }
    void project(VecX& r) override { system_.project(r); }
    double force_scale() const override { return system_.force_scale(); }
    const VecX* position_alteration() const override { return system_.position_alteration(); }
    bool force_persists() const override { return system_.force_persists(); }
    SpringSystem* spring_system() override;

  private:
    class Springs final : public SpringSystem {
      public:
        explicit Springs(Counts& counts) : counts_(counts) {}
        void set(SpringSystem* of) { of_ = of; }

        std::span<const Spring> springs() const override { return of_->springs(); }
        const VecX& inverse_mass() const override { return of_->inverse_mass(); }
        void external_force(double t, const VecX& x, const VecX& v, VecX& f) override;
        void end_force(const VecX& x, const VecX& v, const VecX& f) override {
            of_->end_force(x, v, f);
        }

      private:
        SpringSystem* of_ = nullptr;
        Counts& counts_;
    };

    SecondOrderSystem& system_;
    Counts& counts_;
    Springs springs_;
};

}  // namespace taffeta::ode::study

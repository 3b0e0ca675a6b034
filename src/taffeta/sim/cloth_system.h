#pragma once

#include "taffeta/contact/repulsion.h"
#include "taffeta/energy/assembler.h"
#include "taffeta/ode/rayleigh.h"
#include "taffeta/ode/springs.h"
#include "taffeta/ode/system.h"
#include "taffeta/sim/world.h"
#include "taffeta/solve/linear_solver.h"
#include "taffeta/sparse/pattern_union.h"

namespace taffeta::sim {

/// Seconds of one step by phase; they add up to the step but for vector updates.
struct PhaseTimes {
    double contact = 0;   ///< pins and contact, before and after the solve
    double assembly = 0;  ///< force, K and D
    double system = 0;    ///< A = m M + d D + k K, products with K outside the solver
    double setup = 0;     ///< preconditioner
    double solve = 0;     ///< Krylov iterations or factorisation
    double other = 0;     ///< the rest of the step

    double total() const { return contact + assembly + system + setup + solve + other; }
    PhaseTimes& operator+=(const PhaseTimes& more);
};

/// The world as an integrator sees it: M a = f(t, x, v) with constraints.
///
/// M is lumped, or the world's consistent mass, which is then in every product and every solve. K and D
/// have one block pattern, fixed for the life of the world. The springs between near elements of a
/// step are kept apart from them; the matrix of a solve has the couplings of both, and keeps those of
/// earlier steps until the next frame. The filter holds end-of-step velocities; the
/// integrator gets them as accelerations (v_target - v) / h.
///
/// For integrators that step springs alone it is also particles on the springs that its energies
/// stand for (energy/springs.h); energies without, such as loads, are the external force.
class ClothSystem final : public ode::SecondOrderSystem, public ode::SpringSystem {
  public:
    ClothSystem(const World& world, solve::LinearSolver& solver);

    /// Forgets the constraints of the last step. `filter`, `alteration`, `impulse` and `repulsion` may
    /// then be filled until `begin_step`.
    void clear_constraints();
    /// Fixes what the constraints mean for a step of size h from the world's state.
    void begin_step(double h);

    sparse::NodeFilter& filter() { return filter_; }
    VecX& alteration() { return alteration_; }
    VecX& impulse() { return impulse_; }
    contact::Repulsion& repulsion() { return repulsion_; }
    /// Takes other springs within the step.
    void repulsion_changed() { couple_repulsion(); }
    /// The next step depends on its state alone: couplings of earlier springs are forgotten.
    void settle() { settled_ = true; }
    PhaseTimes& times() { return times_; }
    const sparse::Pattern& pattern() const { return assembler_.pattern(); }
    /// The matrix and right-hand side of the last linear solve, for dumps.
    const sparse::Matrix3& matrix() const { return A_; }

    /// What the integrator adds to the damping of the world by itself, for the forces of constraints.
    void set_rayleigh(const ode::RayleighOptions& damping) { rayleigh_ = damping; }
    /// Force of the constraints on each vertex at the end of a step with acceleration a, N:
    /// M a - f(x1, v1) + (r_M M + r_K K) v1, where f is continued linearly from where it was last
    /// evaluated. Zero in the free directions up to the solver's tolerance. [BW98] section 6.1
    void constraint_force(const VecX& a, const VecX& x1, const VecX& v1, VecX& out);

    Eigen::Index size() const override { return 3 * Eigen::Index(world_.vertex_count()); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override;
    SolveReport solve_mass(const VecX& f, VecX& a) override;
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override;
    void apply(const ode::Coefficients& c, const VecX& u, VecX& out) override;
    SolveReport solve(const ode::Coefficients& c, const VecX& rhs, double tolerance,
                      VecX& u) override;
    void constrain(VecX& a, double h) override;
    void project(VecX& r) override { filter_.project(r); }
    double force_scale() const override { return force_scale_; }
    const VecX* position_alteration() const override { return altered_ ? &alteration_ : nullptr; }

    SpringSystem* spring_system() override;
    std::span<const ode::Spring> springs() const override { return springs_; }
    const VecX& inverse_mass() const override { return inverse_mass_; }
    void external_force(double t, const VecX& x, const VecX& v, VecX& f) override;
    void end_force(const VecX& x, const VecX& v, const VecX& f) override { remember(x, v, f); }

  private:
    void find_springs();
    void couple_repulsion();
    void name_terms(const ode::Coefficients& c);
    void place_mass();
    void add_mass(double weight, const VecX& u, VecX& out) const;
    void combine(const ode::Coefficients& c, sparse::Matrix3& A) const;
    void remember(const VecX& x, const VecX& v, const VecX& f);

    const World& world_;
    solve::LinearSolver& solver_;
    energy::Assembler assembler_;
    sparse::Matrix3 K_, D_, A_;
    std::vector<double> mass_;  ///< of each block of the pattern, kg; empty where M is lumped
    sparse::NodeFilter filter_;
    VecX target_;      ///< end-of-step velocities in the forbidden directions, m/s
    VecX alteration_;  ///< y, m
    VecX impulse_;     ///< explicit impulses of this step, N s
    contact::Repulsion repulsion_;
    sparse::ExtendedPattern extended_;  ///< of A where there are springs; else none
    sparse::Matrix3 rest_;              ///< A without springs, where A has their couplings
    std::vector<solve::RankOneTerm> terms_;
    bool settled_ = true;
    VecX x_last_, v_last_, f_last_, scratch_;
    ode::RayleighOptions rayleigh_;
    double h_ = 0;
    double force_scale_ = 0;
    bool altered_ = false, pushed_ = false;
    /// Found when first asked for; then K and D stay zero, as no method asks for both.
    std::vector<ode::Spring> springs_;
    std::vector<std::size_t> external_;  ///< energies without springs
    VecX inverse_mass_;
    PhaseTimes times_;
};

}  // namespace taffeta::sim

#pragma once

#include "taffeta/base/fields.h"
#include "taffeta/ode/system.h"

/// Rayleigh damping added to any system,
///
///     M a = f(t, x, v) - (r_M M + r_K K(x)) v,      D' = D + r_M M + r_K K.       [SOFA15]
///
/// r_M damps every motion at the same rate, a falling body too; r_K damps vibrations, the faster
/// the more, and leaves a rigid translation alone, as K maps it to zero. A body that turns at w is
/// slowed at the rate r_K |w|^2: as f turns with it, K (w x x) = -w x f, the stress that keeps it
/// together; damping on strain rates, that of the materials, leaves rotations alone. K is that of the
/// very place where f is evaluated, so that the order of a method stays its own on nonlinear systems;
/// the price is an assembly of K with every force. Newton's matrix leaves dK/dx v out, and that of
/// simplified Newton is the one of the last force.
///
/// With r_M = r_K = 0 the system itself takes part, bit by bit.
namespace taffeta::ode {

struct RayleighOptions {
    double rayleigh_mass = 0;
    double rayleigh_stiffness = 0;

    static Fields<RayleighOptions> fields();
};

/// The two lines of options that a method with Rayleigh damping has besides its own.
template <class Options>
Fields<Options> with_rayleigh(Fields<Options> fields) {
    fields.add(Field<Options>("rayleigh_mass", &Options::rayleigh_mass,
                              "damping in multiples of M, 1/s; slows rigid motion too",
                              at_least(0)));
    fields.add(Field<Options>("rayleigh_stiffness", &Options::rayleigh_stiffness,
                              "damping in multiples of K, s; leaves rigid translation alone",
                              at_least(0)));
    return fields;
}

class RayleighSystem final : public SecondOrderSystem {
  public:
    RayleighSystem(double r_M, double r_K) : r_M_(r_M), r_K_(r_K) {}

    /// The damped system, for a step; the system itself where there is no damping.
    SecondOrderSystem& around(SecondOrderSystem& system);

    bool damps() const { return r_M_ != 0 || r_K_ != 0; }

    /// out = (r_M M + r_K K) u with the K that was linearised last.
    void apply_damping(const VecX& u, VecX& out) const;

    Eigen::Index size() const override { return system_->size(); }
    void force(double t, const VecX& x, const VecX& v, VecX& f) override;
    SolveReport solve_mass(const VecX& f, VecX& a) override { return system_->solve_mass(f, a); }
    void linearize(double t, const VecX& x, const VecX& v, VecX* f) override;
    void apply(const Coefficients& c, const VecX& u, VecX& out) override;
    SolveReport solve(const Coefficients& c, const VecX& rhs, double tolerance, VecX& u) override;
    void constrain(VecX& a, double h) override { system_->constrain(a, h); }
    void project(VecX& r) override { system_->project(r); }
    double force_scale() const override { return system_->force_scale(); }
    const VecX* position_alteration() const override { return system_->position_alteration(); }
    bool force_persists() const override { return system_->force_persists(); }
    /// For the matrix of Newton's iteration (spring_matrix.h): the damping is not theirs.
    SpringSystem* spring_system() override { return system_->spring_system(); }

  private:
    Coefficients damped(const Coefficients& c) const;

    const double r_M_, r_K_;
    SecondOrderSystem* system_ = nullptr;
    VecX damping_;
};

}  // namespace taffeta::ode

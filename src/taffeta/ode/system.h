#pragma once

#include "taffeta/base/report.h"
#include "taffeta/base/types.h"

namespace taffeta::ode {

class SpringSystem;  // springs.h

/// Weights of the matrix family m M + d D + k K that every implicit method needs.
struct Coefficients {
    double m = 0, d = 0, k = 0;
};

/// M a = f(t, x, v): all that an integrator sees, be it Dahlquist's equation or a garment.
///
/// Constraints: some directions of a may be prescribed. S is the projector onto the free ones and
/// z the prescribed acceleration, in range(I - S); a system without constraints has S = I, z = 0.
class SecondOrderSystem {
  public:
    virtual ~SecondOrderSystem() = default;

    virtual Eigen::Index size() const = 0;
    /// f(t, x, v), in units of force. Counts as one force evaluation.
    virtual void force(double t, const VecX& x, const VecX& v, VecX& f) = 0;
    /// a = M^-1 f, with the constraints: S a = S M^-1 f, (I - S) a = z.
    virtual SolveReport solve_mass(const VecX& f, VecX& a) = 0;
    /// Freezes K = -df/dx and D = -df/dv at (t, x, v) and, when asked, evaluates the force there in
    /// the same pass.
    virtual void linearize(double t, const VecX& x, const VecX& v, VecX* f = nullptr) = 0;
    /// out = (m M + d D + k K) u.
    virtual void apply(const Coefficients& c, const VecX& u, VecX& out) = 0;
    /// u in range(S) with S (m M + d D + k K) u = S rhs. `u` holds a guess on entry.
    /// `tolerance` <= 0: the solver's own.
    virtual SolveReport solve(const Coefficients& c, const VecX& rhs, double tolerance,
                              VecX& u) = 0;

    /// a <- S a + z for the prescribed acceleration of a step of size h.
    virtual void constrain(VecX& a, double h) { (void)a, (void)h; }
    /// r <- S r.
    virtual void project(VecX& r) { (void)r; }
    /// Size of forces that matter, N, for relative stops; 0: unknown.
    virtual double force_scale() const { return 0; }
    /// Displacement that the end position of this step gets without velocity, or nullptr.
    /// [BW98] section 6, position alteration.
    virtual const VecX* position_alteration() const { return nullptr; }
    /// Whether the next step will find the same f and the same constraints at the same (t, x, v),
    /// so that a force from the end of one step may serve at the start of the next. Not so where
    /// contact changes both between steps, hence the default.
    virtual bool force_persists() const { return false; }
    /// The system as particles on springs, for the methods that work on those alone; or nullptr.
    virtual SpringSystem* spring_system() { return nullptr; }
};

struct State {
    double t = 0;
    VecX x, v;
};

}  // namespace taffeta::ode

#include "taffeta/energy/solid.h"

namespace taffeta::energy {

namespace {

/// Linear elasticity: psi = mu e : e + lambda/2 (tr e)^2, e = (F + F')/2 - I.
///
/// The stiffness is constant and positive. Rotations of the body cost energy, so its torques do not sum
/// to zero: for small displacements, and to compare with formulas of beams.
class LinearSolid {
  public:
    static constexpr std::string_view key = "linear";

    explicit LinearSolid(const SolidOptions& options)
        : mu_(options.mu()), lambda_(options.lambda()) {}

    template <class Real>
    Matrix33<Real> at(const Matrix33<Real>& F) const {
        return F;
    }
    template <class Real>
    Real psi(const Matrix33<Real>& F) const {
        const Matrix33<Real> e = strain(F);
        const Real t = trace(e);
        return mu_ * dot(e, e) + (lambda_ / 2) * t * t;
    }
    template <class Real>
    Matrix33<Real> stress(const Matrix33<Real>& F) const {
        const Matrix33<Real> e = strain(F);
        return (2 * mu_) * e + full(scaled_identity(lambda_ * trace(e)));
    }
    template <class Real>
    SolidHessian<Real> hessian(const Matrix33<Real>&, PsdRule) const {
        const Real m = broadcast<Real>(mu_), l = broadcast<Real>(lambda_), own = 2.0 * m + l;
        // Symmetric pairs have 2 mu, antisymmetric ones nothing.
        return {
            identity33<Real>(), identity33<Real>(), {own, l, l, own, l, own}, {m, m, m}, {m, m, m}};
    }

  private:
    template <class Real>
    static Matrix33<Real> strain(const Matrix33<Real>& F) {
        return full(0.5 * doubled_symmetric_part(F)) + -identity33<Real>();
    }
    template <class Real>
    static Real trace(const Matrix33<Real>& a) {
        return a.x.x + a.y.y + a.z.z;
    }

    double mu_, lambda_;
};

}  // namespace

extern const EnergyEntry entry_solid_linear;
constinit const EnergyEntry entry_solid_linear{
    LinearSolid::key, "linear elasticity, for small rotations: its torques do not sum to zero",
    EnergyProperties{.conservative = true, .internal = false}, field_table<SolidOptions>,
    make_solid<LinearSolid>};

}  // namespace taffeta::energy

#pragma once

#include <array>
#include <string>
#include <string_view>

#include "taffeta/base/fields.h"
#include "taffeta/energy/deformation.h"
#include "taffeta/energy/energy.h"
#include "taffeta/energy/lane_eigen.h"

namespace taffeta::energy {

/// Options of the law `stvk`: an isotropic sheet.
struct StVenantKirchhoffOptions {
    double young = 8e5;       ///< E, Pa
    double poisson = 0.3;     ///< nu
    double thickness = 3e-4;  ///< t, m
    double tau = 0;           ///< s
    std::string psd = "automatic";

    static Fields<StVenantKirchhoffOptions> fields();
    void check(const Settings&) const {}
};

/// Membrane of St. Venant and Kirchhoff: linear in the Green strain, for large rotations.
///
///     G = (F'F - I)/2,  psi = c11/2 (G11^2 + G22^2) + c12 G11 G22 + 2 c33 G12^2,   P = F S,
///     c11 = E t/(1 - nu^2), c12 = nu c11, c33 = E t/(2 (1 + nu)), in N/m (plane stress).
///
/// In uniaxial compression the tangent c11 (3 w^2 - 1)/2 vanishes at |w| = 1/sqrt3.
class StVenantKirchhoff {
  public:
    using Options = StVenantKirchhoffOptions;
    static constexpr std::string_view key = "stvk";
    static constexpr std::array<std::string_view, 1> part_names{"stretch"};

    explicit StVenantKirchhoff(const Options& options)
        : c11_(options.young * options.thickness / (1 - options.poisson * options.poisson)),
          c12_(options.poisson * c11_),
          c33_(options.young * options.thickness / (2 * (1 + options.poisson))),
          tau_(options.tau) {}

    bool has_viscosity() const { return tau_ > 0; }
    Vec2 rest_stretch() const { return Vec2::Ones(); }

    /// Energy per area, J/m^2.
    template <class Real>
    std::array<Real, 1> psi(const Deformation<Real>& F) const {
        const Symmetric22<Real> G = strain(F);
        return {(c11_ / 2) * (G.uu * G.uu + G.vv * G.vv) + c12_ * G.uu * G.vv +
                (2 * c33_) * G.uv * G.uv};
    }

    /// P = F S, N/m.
    template <class Real>
    Deformation<Real> stress(const Deformation<Real>& F) const {
        const Symmetric22<Real> S = second_stress(F);
        return {S.uu * F.u + S.uv * F.v, S.uv * F.u + S.vv * F.v};
    }

    /// c : (dG dG) + S (x) I. Only the second part can be negative; `clamp` takes the positive part
    /// of the 2x2 matrix S, which is sufficient but keeps less than the exact positive part.
    template <class Real>
    MembraneHessian<Real> hessian(const Deformation<Real>& F, PsdRule rule) const {
        MembraneHessian<Real> H = material_part(F);
        if (rule == PsdRule::gauss_newton) return H;
        Symmetric22<Real> S = second_stress(F);
        if (rule != PsdRule::exact) S = spectral_positive_part(S);
        H.uu = H.uu + scaled_identity(S.uu);
        H.vv = H.vv + scaled_identity(S.vv);
        H.uv = H.uv + full(scaled_identity(S.uv));
        return H;
    }

    /// Kelvin-Voigt: stress tau c : dG/dt on top of c : G. N s/m.
    template <class Real>
    MembraneHessian<Real> viscosity(const Deformation<Real>& F) const {
        const MembraneHessian<Real> H = material_part(F);
        return {tau_ * H.uu, tau_ * H.vv, tau_ * H.uv};
    }

    /// What is wrong with a deformation that is at the limit of the law, or nullptr.
    const char* limit(const Deformation<double>& F) const {
        const bool collapsing = dot(F.u, F.u) < 0.36 || dot(F.v, F.v) < 0.36;
        return collapsing ? "compressed below 0.6, where the material loses its stiffness"
                          : nullptr;
    }

  private:
    template <class Real>
    static Symmetric22<Real> strain(const Deformation<Real>& F) {
        return {0.5 * (dot(F.u, F.u) - 1.0), 0.5 * dot(F.u, F.v), 0.5 * (dot(F.v, F.v) - 1.0)};
    }

    template <class Real>
    Symmetric22<Real> second_stress(const Deformation<Real>& F) const {
        const Symmetric22<Real> G = strain(F);
        return {c11_ * G.uu + c12_ * G.vv, (2 * c33_) * G.uv, c11_ * G.vv + c12_ * G.uu};
    }

    template <class Real>
    MembraneHessian<Real> material_part(const Deformation<Real>& F) const {
        const Real c11 = broadcast<Real>(c11_), c33 = broadcast<Real>(c33_);
        return {outer(c11, F.u) + outer(c33, F.v), outer(c11, F.v) + outer(c33, F.u),
                outer(c12_ * F.u, F.v) + outer(c33_ * F.v, F.u)};
    }

    double c11_, c12_, c33_, tau_;
};

}  // namespace taffeta::energy

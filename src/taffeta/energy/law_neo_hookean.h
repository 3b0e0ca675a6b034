#pragma once

#include <string>

#include "taffeta/base/fields.h"
#include "taffeta/energy/principal_membrane.h"

namespace taffeta::energy {

/// Options of the law `neo_hookean`: an isotropic sheet.
struct NeoHookeanOptions {
    double young = 8e5;       ///< E, Pa
    double poisson = 0.3;     ///< nu
    double thickness = 3e-4;  ///< t, m
    double tau = 0;           ///< s
    std::string psd = "automatic";

    static Fields<NeoHookeanOptions> fields();
    void check(const Settings&) const {}
};

/// Neo-Hookean membrane, with C = F'F and J = sqrt(det C), the ratio of areas:
///
///     psi = mu/2 (tr C - 2 - 2 ln J) + lambda/2 (ln J)^2,
///     mu = E t/(2 (1 + nu)),  lambda = E t nu/(1 - nu^2), in N/m (plane stress).
///
/// The tangent at rest is that of St. Venant and Kirchhoff; no triangle can be crushed to nothing, for
/// psi grows without bound as J goes to 0. With r = lambda ln J - mu:
///     psi_k = mu s_k + r/s_k,   A_kk = mu + (lambda - r)/s_k^2,   A_12 = lambda/J,
///     flip, twist = mu -+ r/J,  out_k = mu + r/s_k^2.
class NeoHookean {
  public:
    using Options = NeoHookeanOptions;
    static constexpr std::string_view key = "neo_hookean";
    static constexpr std::array<std::string_view, 1> part_names{"stretch"};

    explicit NeoHookean(const Options& options)
        : mu_(options.young * options.thickness / (2 * (1 + options.poisson))),
          lambda_(options.young * options.thickness * options.poisson /
                  (1 - options.poisson * options.poisson)),
          tau_(options.tau) {}

    bool has_viscosity() const { return tau_ > 0; }
    Vec2 rest_stretch() const { return Vec2::Ones(); }

    /// Energy per area, J/m^2.
    template <class Real>
    std::array<Real, 1> psi(const Deformation<Real>& F) const {
        const Real J_log = 0.5 * logarithm(area_sq(F));
        return {(mu_ / 2) * (dot(F.u, F.u) + dot(F.v, F.v) - 2.0 - 2.0 * J_log) +
                (lambda_ / 2) * J_log * J_log};
    }

    /// P = mu F + r F C^-1, N/m.
    template <class Real>
    Deformation<Real> stress(const Deformation<Real>& F) const {
        const Real det = area_sq(F), uv = dot(F.u, F.v);
        const Real scale = (lambda_ * (0.5 * logarithm(det)) - mu_) / det;
        const Real own_u = mu_ + scale * dot(F.v, F.v), own_v = mu_ + scale * dot(F.u, F.u);
        const Real cross_uv = -scale * uv;
        return {own_u * F.u + cross_uv * F.v, cross_uv * F.u + own_v * F.v};
    }

    /// d2psi/dF2 or, unless the rule is `exact`, exactly its positive part.
    template <class Real>
    MembraneHessian<Real> hessian(const Deformation<Real>& F, PsdRule rule) const {
        const SheetFrames<Real> frames = sheet_frames(F);
        const Real det = area_sq(F), J = square_root(det);
        const Real r = lambda_ * (0.5 * logarithm(det)) - mu_;
        const Real a1 = 1.0 / (frames.s1 * frames.s1), a2 = frames.s1 * frames.s1 / det;
        return sheet_hessian<Real>(frames,
                                   {mu_ + (lambda_ - r) * a1, lambda_ / J, mu_ + (lambda_ - r) * a2,
                                    mu_ - r / J, mu_ + r / J, mu_ + r * a1, mu_ + r * a2},
                                   rule);
    }

    /// Kelvin-Voigt on Green's strain, stress tau (lambda tr(dG/dt) I + 2 mu dG/dt). N s/m.
    template <class Real>
    MembraneHessian<Real> viscosity(const Deformation<Real>& F) const {
        const Real c11 = broadcast<Real>(tau_ * (lambda_ + 2 * mu_)),
                   m = broadcast<Real>(tau_ * mu_);
        return {outer(c11, F.u) + outer(m, F.v), outer(c11, F.v) + outer(m, F.u),
                outer(tau_ * lambda_ * F.u, F.v) + outer(tau_ * mu_ * F.v, F.u)};
    }

    /// What is wrong with a deformation that is at the limit of the law, or nullptr.
    const char* limit(const Deformation<double>& F) const {
        return area_sq(F) < 0.01 ? "crushed to a tenth of its area" : nullptr;
    }

  private:
    /// J^2; never 0, so that a triangle without area has a large energy and not none.
    template <class Real>
    static Real area_sq(const Deformation<Real>& F) {
        const Vector3<Real> n = cross(F.u, F.v);
        return larger(dot(n, n), broadcast<Real>(1e-100));
    }

    double mu_, lambda_, tau_;
};

}  // namespace taffeta::energy

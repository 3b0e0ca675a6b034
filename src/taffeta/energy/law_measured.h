#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "taffeta/base/fields.h"
#include "taffeta/energy/deformation.h"
#include "taffeta/energy/energy.h"
#include "taffeta/energy/lane_eigen.h"
#include "taffeta/energy/measured_potential.h"

namespace taffeta::energy {

/// Options of the law `measured`.
struct MeasuredOptions {
    /// c11, c12, c22, c33 (N/m) of the six rows.
    std::vector<double> stretching = {1500, 0, 1500, 300, 1500, 0, 1500, 300, 1500, 0, 1500, 300,
                                      1500, 0, 1500, 300, 1500, 0, 1500, 300, 1500, 0, 1500, 300};
    double tau = 0;  ///< s
    std::string psd = "automatic";

    static Fields<MeasuredOptions> fields();
    void check(const Settings& settings) const;
};

/// A fabric by its measured tables, stiffness over direction and strain.        [WangORamamoorthi11]
///
/// Row 0 holds c at no strain, rows 1 to 5 at a stretch of 7/6 along 0, 22.5, 45, 67.5 and 90 degrees from
/// the warp; the stress is 2 (c11 G11 + c12 G22), 2 (c22 G22 + c12 G11), 2 c33 G12 for Green's strain G.
/// Negative entries count as none.
///
/// Stiffness read from tables at the present strain, as the fabrics were fitted, gives a stress that is
/// no gradient: work around a loop of strains would not vanish. This is the potential whose work along
/// every proportional path tG is that of the tables,
///     psi(G) = int_0^1 t G : C(tG) : G dt = G : C_0 : G/2 + sigma(e) G : D(phi) : G,
/// where D is what a row adds to row 0, e the larger principal strain and phi its direction, and
///     sigma = int_0^1 t s(t e) dt,  s the part of D at a strain: 3u^2 - 2u^3 for u = e/(13/72) up to 1.
/// Over direction D is the trigonometric interpolant, a polynomial of degree four in cos 2 phi, through
/// the five rows; towards equal stretch in both directions, where phi has no meaning and nothing was
/// measured, it turns into its mean. Both choices make psi differentiable; rows and end points are exact.
class Measured {
  public:
    using Options = MeasuredOptions;
    static constexpr std::string_view key = "measured";
    static constexpr std::array<std::string_view, 1> part_names{"stretch"};
    /// Larger principal Green strain of the rows 1 to 5: (w^2 - 1)/2 at w = 7/6.
    static constexpr double table_strain = MeasuredPotential::table_strain;

    explicit Measured(const Options& options);

    bool has_viscosity() const { return tau_ > 0; }
    Vec2 rest_stretch() const { return Vec2::Ones(); }

    template <class Real>
    std::array<Real, 1> psi(const Deformation<Real>& F) const {
        return {potential_.respond<Real, 0>(F).psi};
    }
    /// P = F S, N/m.
    template <class Real>
    Deformation<Real> stress(const Deformation<Real>& F) const {
        return stress(F, potential_.respond<Real, 1>(F));
    }
    /// Second derivatives by strain and S (x) I; the positive part of each, unless the rule is `exact`.
    template <class Real>
    MembraneHessian<Real> hessian(const Deformation<Real>& F, PsdRule rule) const {
        return hessian(F, potential_.respond<Real, 2>(F), rule);
    }
    template <class Real>
    std::pair<Deformation<Real>, MembraneHessian<Real>> stress_and_hessian(
        const Deformation<Real>& F, PsdRule rule) const {
        const StrainResponse<Real> at = potential_.respond<Real, 2>(F);
        return {stress(F, at), hessian(F, at, rule)};
    }
    /// Kelvin-Voigt with the stiffness at no strain. N s/m.
    template <class Real>
    MembraneHessian<Real> viscosity(const Deformation<Real>& F) const {
        const auto c = [&](std::size_t m) { return broadcast<Real>(tau_ * potential_.rest()[m]); };
        const Real o = broadcast<Real>(0), bound = broadcast<Real>(tau_ * coupling_bound_);
        return material_part<Real>(
            F, {c(0), select(c(1) > bound, bound, c(1)), o, c(2), o, 4.0 * c(3)});
    }
    const char* limit(const Deformation<double>& F) const {
        return larger_strain(F) > 1.5 * table_strain
                   ? "stretched well beyond the measured strain of a sixth"
                   : nullptr;
    }

  private:
    template <class Real>
    static Deformation<Real> stress(const Deformation<Real>& F, const StrainResponse<Real>& at) {
        const Real S12 = 0.5 * at.d[2];
        return {at.d[0] * F.u + S12 * F.v, S12 * F.u + at.d[1] * F.v};
    }
    template <class Real>
    static MembraneHessian<Real> hessian(const Deformation<Real>& F, const StrainResponse<Real>& at,
                                         PsdRule rule) {
        Symmetric33<Real> C = {at.dd[0], at.dd[1], at.dd[2], at.dd[3], at.dd[4], at.dd[5]};
        if (rule != PsdRule::exact) C = spectral_positive_part(C);
        MembraneHessian<Real> H = material_part(F, C);
        if (rule == PsdRule::gauss_newton) return H;
        Symmetric22<Real> S = {at.d[0], 0.5 * at.d[2], at.d[1]};
        if (rule != PsdRule::exact) S = spectral_positive_part(S);
        H.uu = H.uu + scaled_identity(S.uu);
        H.vv = H.vv + scaled_identity(S.vv);
        H.uv = H.uv + full(scaled_identity(S.uv));
        return H;
    }
    template <class Real>
    static MembraneHessian<Real> material_part(const Deformation<Real>& F,
                                               const Symmetric33<Real>& C);
    static double larger_strain(const Deformation<double>& F);

    MeasuredPotential potential_;
    double coupling_bound_, tau_;
};

/// C : dG dG with C over (G11, G22, G12); dG11 = w_u.du, dG22 = w_v.dv, 2 dG12 = w_v.du + w_u.dv.
template <class Real>
MembraneHessian<Real> Measured::material_part(const Deformation<Real>& F,
                                              const Symmetric33<Real>& C) {
    const Real quarter = 0.25 * C.zz, one_three = 0.5 * C.xz, two_three = 0.5 * C.yz;
    const Matrix33<Real> uv = outer(F.u, F.v);
    const Symmetric33<Real> twice = doubled_symmetric_part(uv);
    return {
        outer(C.xx, F.u) + outer(quarter, F.v) + one_three * twice,
        outer(C.yy, F.v) + outer(quarter, F.u) + two_three * twice,
        C.xy * uv + quarter * transpose(uv) + full(outer(one_three, F.u) + outer(two_three, F.v))};
}

}  // namespace taffeta::energy

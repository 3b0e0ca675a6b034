#pragma once

#include <array>
#include <string>
#include <string_view>

#include "taffeta/base/fields.h"
#include "taffeta/energy/deformation.h"
#include "taffeta/energy/energy.h"

namespace taffeta::energy {

/// Options of the law `baraff_witkin`. The defaults are the cotton of the benchmark.
struct BaraffWitkinOptions {
    double stretch_warp = 3000;   ///< k_u, N/m
    double stretch_weft = 3000;   ///< k_v, N/m
    double stretch_coupling = 0;  ///< k_uv, N/m
    double shear = 300;           ///< k_sh, N/m
    double rest_warp = 1;         ///< b_u
    double rest_weft = 1;         ///< b_v
    double tau_stretch = 0;       ///< s
    double tau_shear = 0;         ///< s
    std::string psd = "automatic";

    static Fields<BaraffWitkinOptions> fields();
    /// Throws bad input at `settings` when k_uv^2 > k_u k_v.
    void check(const Settings& settings) const;
};

/// Stretch and shear of Baraff and Witkin as densities of rest area.        [BW98] section 4.2, 4.3
///
///     psi = k_u/2 C_u^2 + k_v/2 C_v^2 + k_uv C_u C_v + k_sh/2 s^2,
///     C_u = |w_u| - b_u,  C_v = |w_v| - b_v,  s = w_u . w_v.
///
/// Stiffnesses are N/m and conditions are dimensionless, so that refining a mesh does not change
/// the material. (The 1998 conditions hold the area, which makes their stiffness fall with the
/// square of the edge length.) At small strain c11 = k_u, c22 = k_v, c12 = k_uv, c33 = k_sh.
class BaraffWitkin {
  public:
    using Options = BaraffWitkinOptions;
    static constexpr std::string_view key = "baraff_witkin";
    static constexpr std::array<std::string_view, 2> part_names{"stretch", "shear"};

    explicit BaraffWitkin(const Options& options = {}) : k_(options) {}

    bool has_viscosity() const { return k_.tau_stretch > 0 || k_.tau_shear > 0; }
    Vec2 rest_stretch() const { return {k_.rest_warp, k_.rest_weft}; }

    /// Energy per area of the stretch and of the shear, J/m^2.
    template <class Real>
    std::array<Real, 2> psi(const Deformation<Real>& F) const {
        const Stretch<Real> u = stretch(F.u, k_.rest_warp), v = stretch(F.v, k_.rest_weft);
        const Real s = dot(F.u, F.v);
        return {(k_.stretch_warp / 2) * u.condition * u.condition +
                    (k_.stretch_weft / 2) * v.condition * v.condition +
                    k_.stretch_coupling * u.condition * v.condition,
                (k_.shear / 2) * s * s};
    }

    /// P = dpsi/dF = [t_u a_u + k_sh s w_v, t_v a_v + k_sh s w_u], N/m.
    template <class Real>
    Deformation<Real> stress(const Deformation<Real>& F) const {
        const Stretch<Real> u = stretch(F.u, k_.rest_warp), v = stretch(F.v, k_.rest_weft);
        const Real t_s = k_.shear * dot(F.u, F.v);
        return {tension(u, v, k_.stretch_warp) * u.direction + t_s * F.v,
                tension(v, u, k_.stretch_weft) * v.direction + t_s * F.u};
    }

    /// d2psi/dF2 or the part of it that the rule keeps; `automatic` is `clamp`, which is exactly
    /// the positive part of the stretch (k_uv = 0) and exactly that of the shear.
    template <class Real>
    MembraneHessian<Real> hessian(const Deformation<Real>& F, PsdRule rule) const {
        const Stretch<Real> u = stretch(F.u, k_.rest_warp), v = stretch(F.v, k_.rest_weft);
        MembraneHessian<Real> H;
        // H_uu = k_u a a' + (t_u/|w_u|)(I - a a')
        const Real tangent_u = tangential(u, tension(u, v, k_.stretch_warp), rule);
        const Real tangent_v = tangential(v, tension(v, u, k_.stretch_weft), rule);
        H.uu = outer(k_.stretch_warp - tangent_u, u.direction) + scaled_identity(tangent_u);
        H.vv = outer(k_.stretch_weft - tangent_v, v.direction) + scaled_identity(tangent_v);
        const MembraneHessian<Real> S = shear_hessian(F, rule);
        H.uu = H.uu + k_.shear * S.uu;
        H.vv = H.vv + k_.shear * S.vv;
        H.uv = k_.shear * S.uv;
        if (k_.stretch_coupling != 0)
            H.uv = H.uv + outer(k_.stretch_coupling * u.direction, v.direction);
        return H;
    }

    /// Second derivatives of the dissipation sum tau k (dC/dt)^2 / 2 by the rate of F: one rank-one
    /// term per condition, positive semidefinite, zero for rigid motion. N s/m.
    template <class Real>
    MembraneHessian<Real> viscosity(const Deformation<Real>& F) const {
        const Stretch<Real> u = stretch(F.u, k_.rest_warp), v = stretch(F.v, k_.rest_weft);
        const Real d_u = broadcast<Real>(k_.tau_stretch * k_.stretch_warp);
        const Real d_v = broadcast<Real>(k_.tau_stretch * k_.stretch_weft);
        const Real d_s = broadcast<Real>(k_.tau_shear * k_.shear);
        return {outer(d_u, u.direction) + outer(d_s, F.v),
                outer(d_v, v.direction) + outer(d_s, F.u), outer(d_s * F.v, F.u)};
    }

    /// What is wrong with a deformation that is at the limit of the law, or nullptr: shear stops
    /// resisting before s = +-|w_u||w_v|, where warp and weft coincide.
    const char* limit(const Deformation<double>& F) const {
        const double s = dot(F.u, F.v);
        return s * s > 0.98 * 0.98 * dot(F.u, F.u) * dot(F.v, F.v)
                   ? "sheared until warp and weft nearly coincide, where shear resists no more"
                   : nullptr;
    }

    /// H/k_sh of the shear alone: g g' + s Q, g = (w_v; w_u), Q = [0 I; I 0].
    template <class Real>
    static MembraneHessian<Real> shear_hessian(const Deformation<Real>& F, PsdRule rule);

  private:
    template <class Real>
    struct Stretch {
        Vector3<Real> direction;  ///< a = w/|w|, or zero where |w| vanishes
        Real reciprocal;          ///< 1/|w|, or zero
        Real condition;           ///< |w| - b
    };

    template <class Real>
    static Stretch<Real> stretch(const Vector3<Real>& w, double rest) {
        const Real length = square_root(dot(w, w));
        const Real reciprocal = guarded_reciprocal(length, broadcast<Real>(1e-8 * rest));
        return {reciprocal * w, reciprocal, length - rest};
    }

    template <class Real>
    Real tension(const Stretch<Real>& own, const Stretch<Real>& other, double stiffness) const {
        return stiffness * own.condition + k_.stretch_coupling * other.condition;
    }

    /// The eigenvalue t/|w| of the two directions across a thread: negative in compression.
    template <class Real>
    static Real tangential(const Stretch<Real>& stretch, Real tension, PsdRule rule) {
        if (rule == PsdRule::gauss_newton) return broadcast<Real>(0);
        const Real value = tension * stretch.reciprocal;
        return rule == PsdRule::exact ? value : positive_part(value);
    }

    Options k_;
};

/// Eigenvalues of the 6x6 matrix, with I2 = |w_u|^2 + |w_v|^2: (I2 +- sqrt(I2^2 + 12 s^2))/2, and
/// +s, +s, -s, -s [Kim20]. With p along w_u + w_v and q along w_u - w_v: +s belongs to (r; r),
/// r normal to p; -s to (r; -r), r normal to q; the first two to span{(p; p), (q; -q)}/sqrt2, where
/// the matrix is [a^2+s, -ab; -ab, b^2-s], a = |w_u + w_v|/sqrt2, b = |w_u - w_v|/sqrt2, of
/// determinant -3 s^2. So exactly three are negative unless s = 0, and the positive part is
///     lambda_1 z z' + s+/2 [Pp Pp; Pp Pp] + s-/2 [Pq -Pq; -Pq Pq],   Pp = I - pp', Pq = I - qq'.
template <class Real>
MembraneHessian<Real> BaraffWitkin::shear_hessian(const Deformation<Real>& F, PsdRule rule) {
    const Real zero = broadcast<Real>(0), half = broadcast<Real>(0.5);
    const Real s = dot(F.u, F.v);
    if (rule == PsdRule::gauss_newton || rule == PsdRule::exact) {
        const Real one = broadcast<Real>(1);
        MembraneHessian<Real> H{outer(one, F.v), outer(one, F.u), outer(F.v, F.u)};
        if (rule == PsdRule::exact) H.uv = H.uv + full(scaled_identity(s));
        return H;
    }
    const Vector3<Real> sum = F.u + F.v, difference = F.u - F.v;
    const Real sum_sq = dot(sum, sum), difference_sq = dot(difference, difference);
    const Real a_sq = half * sum_sq, b_sq = half * difference_sq;
    const Real invariant = a_sq + b_sq;
    // Where w_u = -+w_v its p or q is zero: the projector becomes I and the plane a line.
    const Real tiny = 1e-30 * invariant + 1e-300;
    const Real sum_reciprocal = guarded_reciprocal(square_root(sum_sq), square_root(tiny));
    const Real difference_reciprocal =
        guarded_reciprocal(square_root(difference_sq), square_root(tiny));
    const Vector3<Real> p = sum_reciprocal * sum, q = difference_reciprocal * difference;

    const Real lambda = half * (invariant + square_root(invariant * invariant + 12.0 * s * s));
    const Real ab = square_root(a_sq * b_sq);
    // The longer of the two null vectors of M - lambda I, M the 2x2 matrix above.
    const Real first = lambda - a_sq - s, second = lambda - b_sq + s;
    const auto use_first = first > second;
    const Real along_p = select(use_first, -ab, second), along_q = select(use_first, first, -ab);
    const Real length_sq = along_p * along_p + along_q * along_q;
    const Real weight = half * lambda * guarded_reciprocal(length_sq, broadcast<Real>(1e-300));
    const Vector3<Real> z_u = along_p * p + along_q * q, z_v = along_p * p - along_q * q;

    const Real s_plus = half * larger(s, zero), s_minus = half * larger(-s, zero);
    const Symmetric33<Real> rest_p = scaled_identity(s_plus) - outer(s_plus, p);
    const Symmetric33<Real> rest_q = scaled_identity(s_minus) - outer(s_minus, q);
    return {outer(weight, z_u) + rest_p + rest_q, outer(weight, z_v) + rest_p + rest_q,
            outer(weight * z_u, z_v) + full(rest_p - rest_q)};
}

}  // namespace taffeta::energy

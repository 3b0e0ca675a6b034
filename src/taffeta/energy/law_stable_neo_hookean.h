#pragma once

#include <cmath>

#include "taffeta/energy/solid_material.h"

namespace taffeta::energy {

/// The stable neo-Hookean solid [SmithDeGoesKim18], with Ic = |F|^2 and J = det F:
///     psi = m/2 (Ic - 3) + l/2 (J - alpha)^2 - b m/2 ln(Ic + 1) - psi(I).
///
/// b = 1 is the form with a logarithm: m = 4/3 mu, l = lambda + 5/6 mu, alpha = 1 + 3 m/(4 l). b = 0 is
/// the one without: m = mu, l = lambda + mu, alpha = 1 + m/l. Both have no stress at rest, the tangent of
/// linear elasticity there, and no barrier: elements that are inside out come back. Without the
/// logarithm a tet that is crushed to a point stays there (a minimum of psi); with it, it does not.
///
///     P = a F + l (J - alpha) cof F,   a = m (1 - b/(Ic + 1)),   with c = 2 b m/(Ic + 1)^2
///     A_kk = a + c s_k^2 + l (J/s_k)^2,   A_kl = c s_k s_l + l (J/s_k)(J/s_l) + l (J - alpha) s_r,
///     flip_kl = a - l (J - alpha) s_r,  twist_kl = a + l (J - alpha) s_r,  r the third index.
template <bool Logarithm>
struct StableNeoHookean {
    double m, l, alpha;  ///< Pa, Pa, 1

    explicit StableNeoHookean(const SolidOptions& options)
        : m(Logarithm ? 4 * options.mu() / 3 : options.mu()),
          l(options.lambda() + (Logarithm ? 5 * options.mu() / 6 : options.mu())),
          alpha(1 + (Logarithm ? 0.75 : 1) * m / l) {}

    template <class Real>
    Matrix33<Real> at(const Matrix33<Real>& F) const {
        return F;
    }
    template <class Real>
    Real psi(const Matrix33<Real>& F) const {
        const Real Ic = dot(F, F), J = determinant(F), change = J - alpha;
        const Real rest = broadcast<Real>(l / 2 * (1 - alpha) * (1 - alpha));
        Real value = (m / 2) * (Ic - 3.0) + (l / 2) * change * change - rest;
        if constexpr (Logarithm) value = value - (m / 2) * logarithm(0.25 * (Ic + 1.0));
        return value;
    }
    template <class Real>
    Matrix33<Real> stress(const Matrix33<Real>& F) const {
        const Matrix33<Real> cof = cofactors(F);
        const Real change = l * (dot(cof.z, F.z) - alpha);
        return shear(dot(F, F)) * F + change * cof;
    }
    template <class Real>
    SolidHessian<Real> hessian(const Matrix33<Real>& F, PsdRule rule) const {
        const SingularValues<Real> svd = singular_values(F);
        const Vector3<Real>& s = svd.s;
        const Real Ic = dot(s, s), J = s.x * s.y * s.z, a = shear(Ic);
        Real c = broadcast<Real>(0);
        if constexpr (Logarithm) c = 2 * m / ((Ic + 1.0) * (Ic + 1.0));
        const Real yz = s.y * s.z, xz = s.x * s.z, xy = s.x * s.y;
        const Real change = l * (J - alpha);
        const Vector3<Real> p = change * s;
        const auto own = [&](Real stretch, Real area) {
            return a + c * stretch * stretch + l * area * area;
        };
        return solid_hessian<Real>(
            svd,
            {{own(s.x, yz), c * xy + l * yz * xz + p.z, c * xz + l * yz * xy + p.y, own(s.y, xz),
              c * yz + l * xz * xy + p.x, own(s.z, xy)},
             {a - p.x, a - p.y, a - p.z},
             {a + p.x, a + p.y, a + p.z}},
            rule);
    }

  private:
    template <class Real>
    Real shear(Real Ic) const {
        if constexpr (Logarithm)
            return m - m / (Ic + 1.0);
        else
            return broadcast<Real>(m) + 0.0 * Ic;
    }
};

}  // namespace taffeta::energy

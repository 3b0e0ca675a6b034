#pragma once

#include "taffeta/energy/solid_material.h"

namespace taffeta::energy {

/// F = R S with the nearest rotation R: psi = mu |F - R|^2 + lambda/2 t^2, t = tr S - 3; with lambda = 0
/// the energy "as rigid as possible" [Chao10].
///
///     P = 2 mu (F - R) + lambda t R,
///     A = 2 mu I + lambda 1 1',  flip = 2 mu,  twist_kl = 2 mu + 2 (lambda t - 2 mu)/(s_k + s_l).
/// Only twists can be negative. Where s_k + s_l vanishes (an element that is inside out and crushed) R
/// jumps; the quotient is capped there.
struct Corotational {
    double mu, lambda;  ///< Pa

    template <class Real>
    SingularValues<Real> at(const Matrix33<Real>& F) const {
        return singular_values(F);
    }
    template <class Real>
    Real psi(const SingularValues<Real>& F) const {
        const Vector3<Real> e = strain(F);
        const Real t = e.x + e.y + e.z;
        return mu * dot(e, e) + (lambda / 2) * t * t;
    }
    template <class Real>
    Matrix33<Real> stress(const SingularValues<Real>& F) const {
        const Vector3<Real> e = strain(F);
        const Real pressure = lambda * (e.x + e.y + e.z);
        const Matrix33<Real> UP = {(2 * mu * e.x + pressure) * F.U.x,
                                   (2 * mu * e.y + pressure) * F.U.y,
                                   (2 * mu * e.z + pressure) * F.U.z};
        return UP * transpose(F.V);
    }
    template <class Real>
    SolidHessian<Real> hessian(const SingularValues<Real>& F, PsdRule rule) const {
        const Vector3<Real> e = strain(F);
        const Real m = broadcast<Real>(2 * mu), l = broadcast<Real>(lambda), own = m + l;
        const Real turning = 2.0 * (lambda * (e.x + e.y + e.z) - 2 * mu);
        const auto twist = [&](Real sum) {
            return m + turning / larger(sum, broadcast<Real>(1e-6));
        };
        return solid_hessian<Real>(
            F,
            {{own, l, l, own, l, own},
             {m, m, m},
             {twist(F.s.y + F.s.z), twist(F.s.x + F.s.z), twist(F.s.x + F.s.y)}},
            rule);
    }

    template <class Real>
    static Vector3<Real> strain(const SingularValues<Real>& F) {
        return {F.s.x - 1.0, F.s.y - 1.0, F.s.z - 1.0};
    }
};

}  // namespace taffeta::energy

#pragma once

#include <string>

#include "taffeta/base/fields.h"
#include "taffeta/energy/lane_eigen.h"
#include "taffeta/energy/psd.h"
#include "taffeta/energy/singular_values.h"
#include "taffeta/energy/solid_element.h"

/// What the isotropic laws of solids share: their options, the positive part, the damping.
namespace taffeta::energy {

/// Options of every law of solids.
struct SolidOptions {
    double young = 5e4;    ///< E, Pa
    double poisson = 0.4;  ///< nu
    double tau = 0;        ///< s
    std::string psd = "automatic";

    static Fields<SolidOptions> fields();

    double mu() const { return young / (2 * (1 + poisson)); }
    double lambda() const { return young * poisson / ((1 + poisson) * (1 - 2 * poisson)); }
};

/// Second derivatives of psi(s_x, s_y, s_z), a symmetric function of the singular values:
///     A_kl = d2psi/ds_k ds_l,   flip_kl = (psi_k - psi_l)/(s_k - s_l),
///     twist_kl = (psi_k + psi_l)/(s_k + s_l)   for the pairs yz, xz, xy,
/// the eigenvalues of the pairs of shears [SmithDeGoesKim19]. Laws give the quotients divided out.
template <class Real>
struct PrincipalHessian {
    Symmetric33<Real> A;
    Vector3<Real> flip, twist;
};

/// In the frames of F; the positive part of it unless the rule is `exact`, exactly: its modes are the
/// eigenvectors of A and the six flips and twists.
template <class Real>
SolidHessian<Real> solid_hessian(const SingularValues<Real>& F, const PrincipalHessian<Real>& H,
                                 PsdRule rule) {
    const bool clamp = rule != PsdRule::exact;
    const auto kept = [&](const Vector3<Real>& a) {
        return clamp ? Vector3<Real>{positive_part(a.x), positive_part(a.y), positive_part(a.z)}
                     : a;
    };
    const Vector3<Real> flip = kept(H.flip), twist = kept(H.twist);
    return {F.U, F.V, clamp ? spectral_positive_part(H.A) : H.A, 0.5 * (flip + twist),
            0.5 * (flip - twist)};
}

/// Viscosity of Kelvin and Voigt, stress tau (lambda tr(dG/dt) I + 2 mu dG/dt) on G = (F'F - I)/2: zero
/// for rigid motion. `viscous_stress` is the stress P of a rate dF/dt, N/m^2.
struct SolidViscosity {
    double lambda, mu;  ///< times tau, Pa s

    template <class Real>
    Matrix33<Real> stress(const Matrix33<Real>& F, const Matrix33<Real>& rate) const {
        const Matrix33<Real> FtR = {transposed_times(F, rate.x), transposed_times(F, rate.y),
                                    transposed_times(F, rate.z)};
        const Symmetric33<Real> twice = doubled_symmetric_part(FtR);
        const Real trace = 0.5 * (twice.xx + twice.yy + twice.zz);
        return F * full(scaled_identity(lambda * trace) + mu * twice);
    }

    /// K_ij = V [mu ((c_i.c_j) F F' + (F c_j)(F c_i)') + lambda (F c_i)(F c_j)'], N s/m.
    template <class Real>
    SolidBlocks<Real> blocks(const SolidMap<Real>& map, const Matrix33<Real>& F) const {
        const Vector3<Real> a1 = F * map.c1, a2 = F * map.c2, a3 = F * map.c3;
        const Real one = broadcast<Real>(1);
        const Symmetric33<Real> FFt = outer(one, F.x) + outer(one, F.y) + outer(one, F.z);
        const Real m = mu * map.volume, l = lambda * map.volume;
        const auto block = [&](const Vector3<Real>& c, const Vector3<Real>& d,
                               const Vector3<Real>& a, const Vector3<Real>& b) {
            return full((m * dot(c, d)) * FFt) + outer(m * b, a) + outer(l * a, b);
        };
        return with_corner_0(detail::upper(block(map.c1, map.c1, a1, a1)),
                             detail::upper(block(map.c2, map.c2, a2, a2)),
                             detail::upper(block(map.c3, map.c3, a3, a3)),
                             block(map.c1, map.c2, a1, a2), block(map.c1, map.c3, a1, a3),
                             block(map.c2, map.c3, a2, a3));
    }
};

}  // namespace taffeta::energy

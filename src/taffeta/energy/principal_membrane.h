#pragma once

#include "taffeta/energy/deformation.h"
#include "taffeta/energy/energy.h"
#include "taffeta/energy/lane_eigen.h"

/// Second derivatives of an isotropic law of sheets in the frames of F = [u_1 u_2] diag(s_1, s_2) V'.
///
/// A change dF = [u_1 u_2 n] M V' of F costs, for psi(s_1, s_2) and psi_k its derivatives,
///     A_11 M_11^2 + 2 A_12 M_11 M_22 + A_22 M_22^2,               A_kl = d2psi/ds_k ds_l,
///     flip (M_12 + M_21)^2/2 + twist (M_12 - M_21)^2/2,            (psi_1 -+ psi_2)/(s_1 -+ s_2),
///     out_1 M_31^2 + out_2 M_32^2,                                  out_k = psi_k/s_k,
/// each over two; these are the eigenvalues, as for solids [SmithDeGoesKim19], with the two modes across
/// the sheet that solids lack. Clamping them is exactly the positive part.
namespace taffeta::energy {

template <class Real>
struct SheetFrames {
    Vector3<Real> u1, u2, n;  ///< orthonormal
    Real s1, s2;              ///< s1 >= s2 >= 0
    Real c, s;                ///< V = [c -s; s c]
};

template <class Real>
struct PrincipalSheet {
    Real A11, A12, A22, flip, twist, out1, out2;
};

template <class Real>
SheetFrames<Real> sheet_frames(const Deformation<Real>& F) {
    const Real uu = dot(F.u, F.u), vv = dot(F.v, F.v), uv = dot(F.u, F.v);
    // Half-angle of the larger eigenvector of F'F, (cos, sin) of the double angle being (half, uv)/root.
    const Real half = 0.5 * (uu - vv), root = square_root(half * half + uv * uv);
    const Real reciprocal = guarded_reciprocal(root, broadcast<Real>(1e-200));
    const Real one = broadcast<Real>(1), zero = broadcast<Real>(0);
    const Real cosine_2 = select(root > broadcast<Real>(1e-200), half * reciprocal, one);
    SheetFrames<Real> frames;
    // The larger of the two from its square, the other from their product.
    const Real large = square_root(0.5 * (1.0 + magnitude(cosine_2)));
    const Real small = 0.5 * magnitude(uv) * reciprocal / large;
    const auto along_u = half > zero;
    const Real sign = select(uv < zero, -one, one);
    frames.c = select(along_u, large, small);
    frames.s = sign * select(along_u, small, large);
    const auto isotropic = root <= broadcast<Real>(1e-200);
    frames.c = select(isotropic, one, frames.c);
    frames.s = select(isotropic, zero, frames.s);

    const Vector3<Real> w1 = frames.c * F.u + frames.s * F.v, w2 = frames.c * F.v - frames.s * F.u;
    const Real tiny = broadcast<Real>(1e-150);
    frames.s1 = square_root(dot(w1, w1));
    frames.u1 = guarded_reciprocal(frames.s1, tiny) * w1;
    const Vector3<Real> across = w2 - dot(frames.u1, w2) * frames.u1;
    frames.s2 = square_root(dot(across, across));
    frames.u2 = guarded_reciprocal(frames.s2, tiny) * across;
    frames.n = cross(frames.u1, frames.u2);
    return frames;
}

template <class Real>
MembraneHessian<Real> sheet_hessian(const SheetFrames<Real>& frames, PrincipalSheet<Real> H,
                                    PsdRule rule) {
    if (rule != PsdRule::exact) {
        H.flip = positive_part(H.flip), H.twist = positive_part(H.twist);
        H.out1 = positive_part(H.out1), H.out2 = positive_part(H.out2);
        const Symmetric22<Real> A = spectral_positive_part(Symmetric22<Real>{H.A11, H.A12, H.A22});
        H.A11 = A.uu, H.A12 = A.uv, H.A22 = A.vv;
    }
    const Real own = 0.5 * (H.flip + H.twist), crossed = 0.5 * (H.flip - H.twist);
    const Symmetric33<Real> B11 =
        outer(H.A11, frames.u1) + outer(own, frames.u2) + outer(H.out1, frames.n);
    const Symmetric33<Real> B22 =
        outer(own, frames.u1) + outer(H.A22, frames.u2) + outer(H.out2, frames.n);
    const Matrix33<Real> B12 =
        outer(H.A12 * frames.u1, frames.u2) + outer(crossed * frames.u2, frames.u1);
    const Real cc = frames.c * frames.c, ss = frames.s * frames.s, cs = frames.c * frames.s;
    const Symmetric33<Real> twice = cs * doubled_symmetric_part(B12);
    MembraneHessian<Real> turned;
    turned.uu = cc * B11 + ss * B22 - twice;
    turned.vv = ss * B11 + cc * B22 + twice;
    turned.uv = full(cs * B11 - cs * B22) + cc * B12 + -(ss * transpose(B12));
    return turned;
}

}  // namespace taffeta::energy

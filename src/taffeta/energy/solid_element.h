#pragma once

#include <array>

#include "taffeta/energy/lane_matrix.h"

/// From the corners of a tet to its deformation gradient and back.
///
/// F = sum_i x_i c_i' (3x3), with c_1, c_2, c_3 the rows of the inverse of [X1-X0, X2-X0, X3-X0] and c_0
/// minus their sum, so that for an energy density psi(F) per rest volume V
///     f_i = -V P c_i,  P = dpsi/dF,        K_ij = V sum_kl c_ik c_jl d2psi/dF_k dF_l.
namespace taffeta::energy {

/// The constants of a tet: coefficients of corners 1 to 3 (1/m) and rest volume (m^3).
template <class Real>
struct SolidMap {
    Vector3<Real> c1, c2, c3;
    Real volume;

    Matrix33<Real> gradient(const std::array<Vector3<Real>, 4>& x) const {
        const Vector3<Real> e1 = x[1] - x[0], e2 = x[2] - x[0], e3 = x[3] - x[0];
        return {c1.x * e1 + c2.x * e2 + c3.x * e3, c1.y * e1 + c2.y * e2 + c3.y * e3,
                c1.z * e1 + c2.z * e2 + c3.z * e3};
    }
};

/// f_i = -V P c_i.
template <class Real>
std::array<Vector3<Real>, 4> corner_forces(const SolidMap<Real>& map,
                                           const Matrix33<Real>& stress) {
    const Vector3<Real> f1 = (-map.volume) * (stress * map.c1);
    const Vector3<Real> f2 = (-map.volume) * (stress * map.c2);
    const Vector3<Real> f3 = (-map.volume) * (stress * map.c3);
    return {-(f1 + f2 + f3), f1, f2, f3};
}

/// d2psi/dF2 in the frames of F = U diag(s) V': a change dF = U M V' of F costs
///     sum_kl A_kl M_kk M_ll/2 + sum_(k<l) [own_kl (M_kl^2 + M_lk^2)/2 + cross_kl M_kl M_lk].
/// This is the form of every isotropic law [SmithDeGoesKim19]. With f the eigenvalue of the symmetric
/// pair (M_kl = M_lk) and t that of the antisymmetric one, own = (f + t)/2 and cross = (f - t)/2.
template <class Real>
struct SolidHessian {
    Matrix33<Real> U, V;
    Symmetric33<Real> A;
    Vector3<Real> own, cross;  ///< of the pairs yz, xz, xy
};

/// The ten distinct blocks of a tet's stiffness.
template <class Real>
struct SolidBlocks {
    Symmetric33<Real> b00, b11, b22, b33;
    Matrix33<Real> b01, b02, b03, b12, b13, b23;
};

namespace detail {

/// U K U' for the part of corners i and j in the frames of a SolidHessian; a = V' c_i, b = V' c_j.
template <class Real>
Matrix33<Real> turned_block(const SolidHessian<Real>& H, const Vector3<Real>& a,
                            const Vector3<Real>& b) {
    const Real xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
    const Matrix33<Real> K = {
        {H.A.xx * xx + H.own.z * yy + H.own.y * zz, H.A.xy * (a.y * b.x) + H.cross.z * (a.x * b.y),
         H.A.xz * (a.z * b.x) + H.cross.y * (a.x * b.z)},
        {H.A.xy * (a.x * b.y) + H.cross.z * (a.y * b.x), H.own.z * xx + H.A.yy * yy + H.own.x * zz,
         H.A.yz * (a.z * b.y) + H.cross.x * (a.y * b.z)},
        {H.A.xz * (a.x * b.z) + H.cross.y * (a.z * b.x),
         H.A.yz * (a.y * b.z) + H.cross.x * (a.z * b.y),
         H.own.y * xx + H.own.x * yy + H.A.zz * zz}};
    return H.U * transpose(H.U * transpose(K));
}

template <class Real>
Symmetric33<Real> upper(const Matrix33<Real>& a) {
    return {a.x.x, a.y.x, a.z.x, a.y.y, a.z.y, a.z.z};
}

}  // namespace detail

/// The rows of corner 0 are minus the sums of the others, so that translations are in the kernel to
/// rounding.
template <class Real>
SolidBlocks<Real> with_corner_0(const Symmetric33<Real>& b11, const Symmetric33<Real>& b22,
                                const Symmetric33<Real>& b33, const Matrix33<Real>& b12,
                                const Matrix33<Real>& b13, const Matrix33<Real>& b23) {
    SolidBlocks<Real> K;
    K.b11 = b11, K.b22 = b22, K.b33 = b33, K.b12 = b12, K.b13 = b13, K.b23 = b23;
    K.b01 = -(full(b11) + transpose(b12) + transpose(b13));
    K.b02 = -(b12 + full(b22) + transpose(b23));
    K.b03 = -(b13 + b23 + full(b33));
    K.b00 = b11 + b22 + b33 + doubled_symmetric_part(b12 + b13 + b23);
    return K;
}

/// K_ij = V sum c_ik c_jl H_kl.
template <class Real>
SolidBlocks<Real> corner_blocks(const SolidMap<Real>& map, const SolidHessian<Real>& H) {
    const Vector3<Real> a1 = transposed_times(H.V, map.c1), a2 = transposed_times(H.V, map.c2),
                        a3 = transposed_times(H.V, map.c3);
    const Vector3<Real> v1 = map.volume * a1, v2 = map.volume * a2, v3 = map.volume * a3;
    return with_corner_0(detail::upper(detail::turned_block(H, v1, a1)),
                         detail::upper(detail::turned_block(H, v2, a2)),
                         detail::upper(detail::turned_block(H, v3, a3)),
                         detail::turned_block(H, v1, a2), detail::turned_block(H, v1, a3),
                         detail::turned_block(H, v2, a3));
}

}  // namespace taffeta::energy

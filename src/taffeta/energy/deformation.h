#pragma once

#include <array>

#include "taffeta/base/types.h"
#include "taffeta/energy/lane_matrix.h"

/// From the corners of a triangle to its deformation gradient and back.            [BW98] eq. 9
///
/// F = [w_u w_v] (3x2), w_u = sum c_iu x_i, w_v = sum c_iv x_i, with constant c that sum to zero,
/// so c_0 is not stored. For an energy density psi(F) per rest area A the chain rule gives
///     f_i = -A P c_i,  P = dpsi/dF,        K_ij = A sum_kl c_ik c_jl d2psi/dw_k dw_l.
/// Material coordinates belong to the face: seams need nothing else.
namespace taffeta::energy {

/// The two columns of F, or of its rate, or of a stress P.
template <class Real>
struct Deformation {
    Vector3<Real> u, v;
};

/// d2psi/dw_k dw_l (or the same of a dissipation), the lower left block being uv'.
template <class Real>
struct MembraneHessian {
    Symmetric33<Real> uu, vv;
    Matrix33<Real> uv;
};

/// The constants of a triangle: coefficients of corners 1 and 2 (1/m) and rest area (m^2).
template <class Real>
struct DeformationMap {
    Real c1u, c1v, c2u, c2v, area;

    Deformation<Real> gradient(const Vector3<Real>& x0, const Vector3<Real>& x1,
                               const Vector3<Real>& x2) const {
        const Vector3<Real> e1 = x1 - x0, e2 = x2 - x0;
        return {c1u * e1 + c2u * e2, c1v * e1 + c2v * e2};
    }
};

/// The map of a triangle with the given material corners; its area is negative when they run
/// clockwise and its coefficients are not finite when they are collinear.
inline DeformationMap<double> deformation_map(const std::array<Vec2, 3>& uv) {
    const Vec2 d1 = uv[1] - uv[0], d2 = uv[2] - uv[0];
    const double det = d1.x() * d2.y() - d2.x() * d1.y();
    return {d2.y() / det, -d2.x() / det, -d1.y() / det, d1.x() / det, det / 2};
}

/// f_0, f_1, f_2 = -A P c_i.
template <class Real>
std::array<Vector3<Real>, 3> corner_forces(const DeformationMap<Real>& map,
                                           const Deformation<Real>& stress) {
    const Vector3<Real> f1 = (-map.area * map.c1u) * stress.u + (-map.area * map.c1v) * stress.v;
    const Vector3<Real> f2 = (-map.area * map.c2u) * stress.u + (-map.area * map.c2v) * stress.v;
    return {-(f1 + f2), f1, f2};
}

/// H : dF, the change of stress that a change of F causes.
template <class Real>
Deformation<Real> apply(const MembraneHessian<Real>& H, const Deformation<Real>& dF) {
    return {H.uu * dF.u + H.uv * dF.v, transpose(H.uv) * dF.u + H.vv * dF.v};
}

/// The six distinct blocks of an element's stiffness.
template <class Real>
struct CornerBlocks {
    Symmetric33<Real> b00, b11, b22;
    Matrix33<Real> b01, b02, b12;
};

/// K_ij = A sum c_ik c_jl H_kl for corners 1 and 2; the rows of corner 0 are minus their sums, so
/// that translations are in the kernel to rounding.
template <class Real>
CornerBlocks<Real> corner_blocks(const DeformationMap<Real>& map, const MembraneHessian<Real>& H) {
    const Real a1u = map.area * map.c1u, a1v = map.area * map.c1v;
    const Real a2u = map.area * map.c2u, a2v = map.area * map.c2v;
    const Symmetric33<Real> uv_twice = doubled_symmetric_part(H.uv);
    CornerBlocks<Real> K;
    K.b11 = (a1u * map.c1u) * H.uu + (a1v * map.c1v) * H.vv + (a1u * map.c1v) * uv_twice;
    K.b22 = (a2u * map.c2u) * H.uu + (a2v * map.c2v) * H.vv + (a2u * map.c2v) * uv_twice;
    const Symmetric33<Real> diagonal_part = (a1u * map.c2u) * H.uu + (a1v * map.c2v) * H.vv;
    K.b12 = full(diagonal_part) + (a1u * map.c2v) * H.uv + (a1v * map.c2u) * transpose(H.uv);
    K.b01 = -(full(K.b11) + transpose(K.b12));
    K.b02 = -(K.b12 + full(K.b22));
    K.b00 = K.b11 + K.b22 + doubled_symmetric_part(K.b12);
    return K;
}

}  // namespace taffeta::energy

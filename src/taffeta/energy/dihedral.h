#pragma once

#include <array>

#include "taffeta/energy/lane_angle.h"

/// The angle of a hinge and its derivatives.                            [BMF03], [Tamstorf13], [GHDS03]
///
/// Vertices (0, 1, 2, 3): edge 0->1 as it runs in the face that holds vertex 2, vertex 3 opposite.
///
///             2            e = x1 - x0, p = x2 - x0, q = x3 - x0, l = |e|
///            / \.          n1 = e x p, n2 = q x e, both on the positive side
///           0-->1          theta = atan2((n1 x n2).e/l, n1.n2) in (-pi, pi],
///            \ /           positive where the normals diverge
///             3
///
/// The gradient holds 1/|n|^2: a face without area counts as one that does not turn the hinge.
namespace taffeta::energy {

template <class Real>
struct Dihedral {
    Real angle;                             ///< rad
    std::array<Vector3<Real>, 4> gradient;  ///< of the angle by x0..x3, 1/m
};

/// A normal shorter than this times l^2 makes its part of the gradient zero.
inline constexpr double degenerate_normal = 1e-12;

template <class Real>
Real dihedral_angle(const Vector3<Real>& x0, const Vector3<Real>& x1, const Vector3<Real>& x2,
                    const Vector3<Real>& x3) {
    const Vector3<Real> e = x1 - x0, n1 = cross(e, x2 - x0), n2 = cross(x3 - x0, e);
    return angle_of(dot(cross(n1, n2), e) / square_root(dot(e, e)), dot(n1, n2));
}

/// g2 = -l n1/|n1|^2, g3 = -l n2/|n2|^2, g1 = -b2 g2 - b3 g3, g0 = -(1-b2) g2 - (1-b3) g3, where b2
/// and b3 are the feet of vertices 2 and 3 on the edge, as fractions of it.
template <class Real>
Dihedral<Real> dihedral(const Vector3<Real>& x0, const Vector3<Real>& x1, const Vector3<Real>& x2,
                        const Vector3<Real>& x3) {
    const Vector3<Real> e = x1 - x0, p = x2 - x0, q = x3 - x0;
    const Vector3<Real> n1 = cross(e, p), n2 = cross(q, e);
    const Real length_sq = dot(e, e), length = square_root(length_sq);
    const Real reciprocal_sq = guarded_reciprocal(length_sq, broadcast<Real>(1e-200));
    const Real threshold = degenerate_normal * degenerate_normal * length_sq * length_sq;
    const Real scale2 = length * guarded_reciprocal(dot(n1, n1), threshold);
    const Real scale3 = length * guarded_reciprocal(dot(n2, n2), threshold);
    const Real b2 = dot(p, e) * reciprocal_sq, b3 = dot(q, e) * reciprocal_sq;

    Dihedral<Real> hinge;
    hinge.angle = angle_of(length * reciprocal_sq * dot(cross(n1, n2), e), dot(n1, n2));
    hinge.gradient[2] = -(scale2 * n1);
    hinge.gradient[3] = -(scale3 * n2);
    hinge.gradient[1] = (b2 * scale2) * n1 + (b3 * scale3) * n2;
    hinge.gradient[0] = -(hinge.gradient[1] + hinge.gradient[2] + hinge.gradient[3]);
    return hinge;
}

using Mat12 = Eigen::Matrix<double, 12, 12>;
using Vec12 = Eigen::Matrix<double, 12, 1>;

/// The exact second derivatives of the angle, order (vertex, xyz). Faces must have area.
Mat12 dihedral_hessian(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3);

}  // namespace taffeta::energy

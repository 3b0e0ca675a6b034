#pragma once

#include "taffeta/energy/lane_matrix.h"

/// Positive parts of small symmetric matrices, of one element or of four (lanes.h).
namespace taffeta::energy {

template <class Real>
struct Symmetric22 {
    Real uu, uv, vv;
};

/// S = a S + b I with the eigenvalues m -+ r clamped; where r = 0 it is a multiple of I.
template <class Real>
Symmetric22<Real> spectral_positive_part(const Symmetric22<Real>& S) {
    const Real mean = 0.5 * (S.uu + S.vv), half = 0.5 * (S.uu - S.vv);
    const Real radius = square_root(half * half + S.uv * S.uv);
    const Real low = mean - radius;
    const Real low_positive = positive_part(low), high_positive = positive_part(mean + radius);
    const Real a =
        0.5 * (high_positive - low_positive) * guarded_reciprocal(radius, broadcast<Real>(1e-200));
    const Real b = low_positive - a * low;
    return {a * S.uu + b, a * S.uv, a * S.vv + b};
}

namespace detail {

/// One rotation of Jacobi of a symmetric matrix: makes a_pq zero, r being the third index; whether it
/// was not.
template <class Real>
bool turn_symmetric(Real& pp, Real& qq, Real& pq, Real& pr, Real& qr, Vector3<Real>& v_p,
                    Vector3<Real>& v_q, Real scale) {
    const bool needed = any_lane(magnitude(pq) > 1e-16 * scale);
    const Real difference = qq - pp;
    const Real root = square_root(difference * difference + 4.0 * pq * pq);
    const Real tangent = select(difference < broadcast<Real>(0), -2.0 * pq, 2.0 * pq) *
                         guarded_reciprocal(magnitude(difference) + root, broadcast<Real>(1e-200));
    const Real cosine = 1.0 / square_root(1.0 + tangent * tangent), sine = cosine * tangent;
    pp = pp - tangent * pq;
    qq = qq + tangent * pq;
    pq = broadcast<Real>(0);
    const Real turned = cosine * pr - sine * qr;
    qr = sine * pr + cosine * qr;
    pr = turned;
    const Vector3<Real> v_turned = cosine * v_p - sine * v_q;
    v_q = sine * v_p + cosine * v_q;
    v_p = v_turned;
    return needed;
}

}  // namespace detail

/// By rotations of Jacobi; returned as it is where every element is positive definite.
template <class Real>
Symmetric33<Real> spectral_positive_part(const Symmetric33<Real>& A) {
    const Real zero = broadcast<Real>(0);
    const Real minor = A.xx * A.yy - A.xy * A.xy;
    const Real det = A.xx * (A.yy * A.zz - A.yz * A.yz) - A.xy * (A.xy * A.zz - A.yz * A.xz) +
                     A.xz * (A.xy * A.yz - A.yy * A.xz);
    // All leading minors positive in every element: nothing to do.
    if (!any_lane(A.xx <= zero) && !any_lane(minor <= zero) && !any_lane(det <= zero)) return A;
    Symmetric33<Real> D = A;
    Matrix33<Real> V = identity33<Real>();
    const Real scale = magnitude(A.xx) + magnitude(A.yy) + magnitude(A.zz) + magnitude(A.xy) +
                       magnitude(A.xz) + magnitude(A.yz);
    constexpr int most_sweeps = 12;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const bool first = detail::turn_symmetric(D.xx, D.yy, D.xy, D.xz, D.yz, V.x, V.y, scale);
        const bool second = detail::turn_symmetric(D.xx, D.zz, D.xz, D.xy, D.yz, V.x, V.z, scale);
        const bool third = detail::turn_symmetric(D.yy, D.zz, D.yz, D.xy, D.xz, V.y, V.z, scale);
        if (!first && !second && !third) break;
    }
    return outer(positive_part(D.xx), V.x) + outer(positive_part(D.yy), V.y) +
           outer(positive_part(D.zz), V.z);
}

}  // namespace taffeta::energy

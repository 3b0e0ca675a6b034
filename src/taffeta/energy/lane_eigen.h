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

/// By rotations of Jacobi.
template <class Real>
Symmetric33<Real> positive_part_by_rotations(const Symmetric33<Real>& A) {
    Symmetric33<Real> D = A;
    Matrix33<Real> V = identity33<Real>();
    const Real scale = magnitude(A.xx) + magnitude(A.yy) + magnitude(A.zz) + magnitude(A.xy) +
                       magnitude(A.xz) + magnitude(A.yz);
    constexpr int most_sweeps = 12;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const bool first = turn_symmetric(D.xx, D.yy, D.xy, D.xz, D.yz, V.x, V.y, scale);
        const bool second = turn_symmetric(D.xx, D.zz, D.xz, D.xy, D.yz, V.x, V.z, scale);
        const bool third = turn_symmetric(D.yy, D.zz, D.yz, D.xy, D.xz, V.y, V.z, scale);
        if (!first && !second && !third) break;
    }
    return outer(positive_part(D.xx), V.x) + outer(positive_part(D.yy), V.y) +
           outer(positive_part(D.zz), V.z);
}

template <class Real>
Symmetric33<Real> adjugate(const Symmetric33<Real>& A) {
    return {A.yy * A.zz - A.yz * A.yz, A.xz * A.yz - A.xy * A.zz, A.xy * A.yz - A.xz * A.yy,
            A.xx * A.zz - A.xz * A.xz, A.xy * A.xz - A.xx * A.yz, A.xx * A.yy - A.xy * A.xy};
}

}  // namespace detail

/// Returned as it is where every element is positive definite; else in closed form.
///
/// Eigenvalues are mean + p y with y^3 - 3 y = 2 d, p^2 = |B|^2/6 and d = det B/(2 p^3) of B = A - mean I.
/// One of the three y, of the sign of d, is alone and at least sqrt 3: Newton's method from a polynomial finds
/// it to rounding. Of the others, -y/2 -+ sqrt(3 - 3/4 y^2), one is between. As adj(A - l I) is a multiple of
/// v v' for an eigenvalue l and its v, one negative eigenvalue is taken away, and of two the third is kept,
/// without a vector: what is divided by is the product of the distances of l to the others. Where two
/// are close they are known to the root of rounding only, which matters near zero: there by rotations.
template <class Real>
Symmetric33<Real> spectral_positive_part(const Symmetric33<Real>& A) {
    const Real zero = broadcast<Real>(0);
    const Real minor = A.xx * A.yy - A.xy * A.xy;
    const Real det = A.xx * (A.yy * A.zz - A.yz * A.yz) - A.xy * (A.xy * A.zz - A.yz * A.xz) +
                     A.xz * (A.xy * A.yz - A.yy * A.xz);
    // All leading minors positive beyond rounding in every element: nothing to do.
    const Real size_A = A.xx + A.yy + magnitude(A.zz), tiny = 1e-14 * size_A * size_A;
    if (!any_lane(A.xx <= zero) && !any_lane(minor <= tiny) && !any_lane(det <= tiny * size_A))
        return A;

    const Real mean = (1.0 / 3) * (A.xx + A.yy + A.zz);
    const auto shifted = [&A](Real by) {
        return Symmetric33<Real>{A.xx - by, A.xy, A.xz, A.yy - by, A.yz, A.zz - by};
    };
    const Symmetric33<Real> B = shifted(mean);
    const Real off_sq = B.xy * B.xy + B.xz * B.xz + B.yz * B.yz;
    const Real p =
        square_root((1.0 / 6) * (B.xx * B.xx + B.yy * B.yy + B.zz * B.zz) + (1.0 / 3) * off_sq);
    const Real by_p = guarded_reciprocal(p, broadcast<Real>(1e-90));
    const Real det_B = B.xx * (B.yy * B.zz - B.yz * B.yz) - B.xy * (B.xy * B.zz - B.yz * B.xz) +
                       B.xz * (B.xy * B.yz - B.yy * B.xz);
    const Real d = 0.5 * (by_p * by_p) * (by_p * det_B);
    const Real size = select(magnitude(d) < broadcast<Real>(1), magnitude(d), broadcast<Real>(1));
    Real y = 1.73213266 + size * (0.3306607 + size * (0.01863937 * size - 0.08138239));
    for (int iteration = 0; iteration < 2; ++iteration)
        y = y - (y * (y * y - 3.0) - 2.0 * size) / (3.0 * (y * y) - 3.0);
    const Real spread = square_root(positive_part(3.0 - 0.75 * (y * y)));
    const Real sign_p = select(d < zero, -p, p);
    const Real alone = mean + sign_p * y, middle = mean - sign_p * (0.5 * y - spread);
    const Real outer_one = mean - sign_p * (0.5 * y + spread);

    if (any_lane(larger(magnitude(middle), magnitude(outer_one)) < 1e-3 * p))
        return detail::positive_part_by_rotations(A);
    const auto two_negative = middle < zero;
    const Real largest = larger(alone, outer_one), smallest = -larger(-alone, -outer_one);
    const Symmetric33<Real> adjugate =
        detail::adjugate(shifted(select(two_negative, largest, smallest)));
    const Real factor =
        select(two_negative, positive_part(largest), positive_part(-smallest)) *
        guarded_reciprocal(adjugate.xx + adjugate.yy + adjugate.zz, broadcast<Real>(1e-200));
    const Real kept = select(two_negative, zero, broadcast<Real>(1));
    return kept * A + factor * adjugate;
}

}  // namespace taffeta::energy

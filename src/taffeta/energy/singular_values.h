#pragma once

#include "taffeta/energy/lane_matrix.h"

/// F = U diag(s) V' of one element or of four, with U and V rotations.
///
/// s.x >= s.y >= |s.z|, and s.z has the sign of det F, so that R = U V' is the rotation nearest to F
/// also for elements that are inside out [IrvingTeranFedkiw04]. Rotations of Jacobi act on the columns
/// of F itself until they are normal to each other [Hestenes58]: F'F, whose eigenvalues are the squares
/// of the singular values, would lose half of the digits of the small ones.
namespace taffeta::energy {

template <class Real>
struct SingularValues {
    Matrix33<Real> U, V;
    Vector3<Real> s;
};

namespace detail {

/// Turns columns p and q of B = F V, and of V, until they are normal; whether they were not.
template <class Real>
bool turn_columns(Vector3<Real>& p, Vector3<Real>& q, Vector3<Real>& v_p, Vector3<Real>& v_q) {
    const Real alpha = dot(p, p), beta = dot(q, q), gamma = dot(p, q);
    const Real difference = beta - alpha;
    const Real root = square_root(difference * difference + 4.0 * gamma * gamma);
    // tan = sign(d) 2 gamma/(|d| + sqrt(d^2 + 4 gamma^2)), the smaller of the two angles.
    const Real tangent = select(difference < broadcast<Real>(0), -2.0 * gamma, 2.0 * gamma) *
                         guarded_reciprocal(magnitude(difference) + root, broadcast<Real>(1e-200));
    const Real cosine = 1.0 / square_root(1.0 + tangent * tangent), sine = cosine * tangent;
    const Vector3<Real> turned = cosine * p - sine * q, v_turned = cosine * v_p - sine * v_q;
    q = sine * p + cosine * q;
    v_q = sine * v_p + cosine * v_q;
    p = turned;
    v_p = v_turned;
    return any_lane(gamma * gamma > 4e-30 * alpha * beta);
}

/// (p, q) -> (q, -p) where q is longer: a rotation too.
template <class Real>
void sort_columns(Vector3<Real>& p, Vector3<Real>& q, Vector3<Real>& v_p, Vector3<Real>& v_q) {
    const auto swapped = dot(q, q) > dot(p, p);
    const Vector3<Real> longer = select(swapped, q, p), v_longer = select(swapped, v_q, v_p);
    q = select(swapped, -p, q);
    v_q = select(swapped, -v_p, v_q);
    p = longer;
    v_p = v_longer;
}

/// A unit vector normal to a unit vector.
template <class Real>
Vector3<Real> some_normal(const Vector3<Real>& a) {
    const Real zero = broadcast<Real>(0), one = broadcast<Real>(1);
    const Vector3<Real> axis =
        select(magnitude(a.x) < broadcast<Real>(0.6), Vector3<Real>{one, zero, zero},
               Vector3<Real>{zero, one, zero});
    const Vector3<Real> b = cross(a, axis);
    return (1.0 / square_root(dot(b, b))) * b;
}

}  // namespace detail

template <class Real>
SingularValues<Real> singular_values(const Matrix33<Real>& F) {
    Matrix33<Real> B = F, V = identity33<Real>();
    constexpr int most_sweeps = 12;  // four or five are enough: the convergence is quadratic
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const bool first = detail::turn_columns(B.x, B.y, V.x, V.y);
        const bool second = detail::turn_columns(B.x, B.z, V.x, V.z);
        const bool third = detail::turn_columns(B.y, B.z, V.y, V.z);
        if (!first && !second && !third) break;
    }
    detail::sort_columns(B.x, B.y, V.x, V.y);
    detail::sort_columns(B.x, B.z, V.x, V.z);
    detail::sort_columns(B.y, B.z, V.y, V.z);

    const Real zero = broadcast<Real>(0), one = broadcast<Real>(1);
    const Real smallest = broadcast<Real>(1e-150);
    const Real length = square_root(dot(B.x, B.x));
    Matrix33<Real> U;
    U.x = select(length > smallest, guarded_reciprocal(length, smallest) * B.x,
                 Vector3<Real>{one, zero, zero});
    const Vector3<Real> across = B.y - dot(U.x, B.y) * U.x;
    const Real across_length = square_root(dot(across, across));
    U.y = select(across_length > smallest, guarded_reciprocal(across_length, smallest) * across,
                 detail::some_normal(U.x));
    U.z = cross(U.x, U.y);
    return {U, V, {length, dot(U.y, B.y), dot(U.z, B.z)}};
}

}  // namespace taffeta::energy

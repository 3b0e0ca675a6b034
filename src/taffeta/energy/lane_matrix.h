#pragma once

#include "taffeta/energy/lanes.h"

/// 3x3 matrices of one element or of four (lanes.h).
namespace taffeta::energy {

template <class Real>
struct Symmetric33 {
    Real xx, xy, xz, yy, yz, zz;
};

/// Columns, as the blocks of the sparse matrix are stored.
template <class Real>
struct Matrix33 {
    Vector3<Real> x, y, z;
};

template <class Real>
Symmetric33<Real> scaled_identity(Real s) {
    const Real zero = broadcast<Real>(0);
    return {s, zero, zero, s, zero, s};
}

/// s a a'
template <class Real>
Symmetric33<Real> outer(Real s, const Vector3<Real>& a) {
    const Vector3<Real> b = s * a;
    return {b.x * a.x, b.x * a.y, b.x * a.z, b.y * a.y, b.y * a.z, b.z * a.z};
}

/// a b'
template <class Real>
Matrix33<Real> outer(const Vector3<Real>& a, const Vector3<Real>& b) {
    return {b.x * a, b.y * a, b.z * a};
}

template <class Real>
Symmetric33<Real> operator+(const Symmetric33<Real>& a, const Symmetric33<Real>& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class Real>
Symmetric33<Real> operator-(const Symmetric33<Real>& a, const Symmetric33<Real>& b) {
    return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
}
template <class S, class Real>
requires ScaleOf<S, Real> Symmetric33<Real>
operator*(S s, const Symmetric33<Real>& a) {
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
}
template <class Real>
Vector3<Real> operator*(const Symmetric33<Real>& a, const Vector3<Real>& b) {
    return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
            a.xz * b.x + a.yz * b.y + a.zz * b.z};
}

template <class Real>
Matrix33<Real> operator+(const Matrix33<Real>& a, const Matrix33<Real>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
Matrix33<Real> operator-(const Matrix33<Real>& a) {
    return {-a.x, -a.y, -a.z};
}
template <class S, class Real>
requires ScaleOf<S, Real> Matrix33<Real>
operator*(S s, const Matrix33<Real>& a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
Vector3<Real> operator*(const Matrix33<Real>& a, const Vector3<Real>& b) {
    return b.x * a.x + b.y * a.y + b.z * a.z;
}
/// A B
template <class Real>
Matrix33<Real> operator*(const Matrix33<Real>& a, const Matrix33<Real>& b) {
    return {a * b.x, a * b.y, a * b.z};
}
template <class Real>
Matrix33<Real> transpose(const Matrix33<Real>& a) {
    return {{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}};
}
/// A' b
template <class Real>
Vector3<Real> transposed_times(const Matrix33<Real>& a, const Vector3<Real>& b) {
    return {dot(a.x, b), dot(a.y, b), dot(a.z, b)};
}
template <class Real>
Real determinant(const Matrix33<Real>& a) {
    return dot(cross(a.x, a.y), a.z);
}
/// [a1 x a2, a2 x a0, a0 x a1], the derivative of the determinant.
template <class Real>
Matrix33<Real> cofactors(const Matrix33<Real>& a) {
    return {cross(a.y, a.z), cross(a.z, a.x), cross(a.x, a.y)};
}
/// The sum of all products of entries, |A|^2 for A = B.
template <class Real>
Real dot(const Matrix33<Real>& a, const Matrix33<Real>& b) {
    return dot(a.x, b.x) + dot(a.y, b.y) + dot(a.z, b.z);
}
template <class Real>
Matrix33<Real> identity33() {
    const Real zero = broadcast<Real>(0), one = broadcast<Real>(1);
    return {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
}
template <class Real>
Matrix33<Real> full(const Symmetric33<Real>& a) {
    return {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}
/// a + a'
template <class Real>
Symmetric33<Real> doubled_symmetric_part(const Matrix33<Real>& a) {
    return {a.x.x + a.x.x, a.y.x + a.x.y, a.z.x + a.x.z,
            a.y.y + a.y.y, a.z.y + a.y.z, a.z.z + a.z.z};
}

inline Mat3 eigen_matrix(const Matrix33<double>& a) {
    Mat3 m;
    m << a.x.x, a.y.x, a.z.x, a.x.y, a.y.y, a.z.y, a.x.z, a.y.z, a.z.z;
    return m;
}
inline Mat3 eigen_matrix(const Symmetric33<double>& a) {
    return eigen_matrix(full(a));
}

}  // namespace taffeta::energy

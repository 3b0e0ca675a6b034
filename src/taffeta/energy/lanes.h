#pragma once

#include <cmath>
#include <concepts>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "taffeta/base/types.h"

/// Arithmetic over one element (`double`) or four elements at a time (`Pack`).
///
/// The formulas of the elements are templates over `Real`: tests call them with `double`, the
/// element loops with `Pack`, so what is checked against references is what runs. A pack is a
/// compiler vector, which every target of GCC and Clang understands; with AVX it is one register.
/// Why not Eigen arrays of four? Its expression templates over nested fixed sizes keep the packs
/// in memory between operations.
namespace taffeta::energy {

/// One number of four elements.
using Pack = double __attribute__((vector_size(32)));

/// Elements in a pack. Clusters of a ScatterPlan start at multiples of it.
inline constexpr Index lanes = 4;

template <class Real>
Real broadcast(double value);
template <>
inline double broadcast<double>(double value) {
    return value;
}
template <>
inline Pack broadcast<Pack>(double value) {
    return Pack{value, value, value, value};
}

inline double square_root(double a) {
    return std::sqrt(a);
}
inline Pack square_root(Pack a) {
#if defined(__AVX__)
    return Pack(_mm256_sqrt_pd(__m256d(a)));
#else
    return Pack{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

inline double logarithm(double a) {
    return std::log(a);
}
inline Pack logarithm(Pack a) {
    return Pack{std::log(a[0]), std::log(a[1]), std::log(a[2]), std::log(a[3])};
}

/// `condition ? a : b`, lane by lane.
inline double select(bool condition, double a, double b) {
    return condition ? a : b;
}
template <class Mask>
Pack select(Mask condition, Pack a, Pack b) {
    return condition ? a : b;
}

/// Whether a condition holds for any lane.
inline bool any_lane(bool condition) {
    return condition;
}
template <class Mask>
bool any_lane(Mask condition) {
#if defined(__AVX__)
    return _mm256_movemask_pd(__m256d(condition)) != 0;
#else
    return condition[0] || condition[1] || condition[2] || condition[3];
#endif
}

template <class Real>
Real larger(Real a, Real b) {
    return select(a > b, a, b);
}
template <class Real>
Real magnitude(Real a) {
    return larger(a, -a);
}
template <class Real>
Real positive_part(Real a) {
    return larger(a, broadcast<Real>(0));
}

/// 1/a where a > threshold, else 0: the reciprocal of a length or an area that may vanish.
template <class Real>
Real guarded_reciprocal(Real a, Real threshold) {
    const auto usable = a > threshold;
    const Real one = broadcast<Real>(1);
    return select(usable, one / select(usable, a, one), broadcast<Real>(0));
}

inline double sum_of_lanes(double a, Index) {
    return a;
}
/// Sum of the first `active` lanes, in lane order.
inline double sum_of_lanes(Pack a, Index active) {
    double sum = 0;
    for (Index lane = 0; lane < active; ++lane)
        sum += a[lane];
    return sum;
}

/// A vector of three, of one element or of four.
template <class Real>
struct Vector3 {
    Real x, y, z;

    Vector3& operator+=(const Vector3& b) {
        x += b.x, y += b.y, z += b.z;
        return *this;
    }
};

template <class Real>
Vector3<Real> operator+(const Vector3<Real>& a, const Vector3<Real>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
Vector3<Real> operator-(const Vector3<Real>& a, const Vector3<Real>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
Vector3<Real> operator-(const Vector3<Real>& a) {
    return {-a.x, -a.y, -a.z};
}
/// What may scale a vector or a matrix of `Real`: a constant of all elements or one of each.
template <class S, class Real>
concept ScaleOf = std::same_as<S, double> || std::same_as<S, Real>;

template <class S, class Real>
requires ScaleOf<S, Real> Vector3<Real>
operator*(S s, const Vector3<Real>& a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
Real dot(const Vector3<Real>& a, const Vector3<Real>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
Vector3<Real> cross(const Vector3<Real>& a, const Vector3<Real>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class Mask, class Real>
Vector3<Real> select(Mask condition, const Vector3<Real>& a, const Vector3<Real>& b) {
    return {select(condition, a.x, b.x), select(condition, a.y, b.y), select(condition, a.z, b.z)};
}

inline Vector3<double> lane_vector(const Vec3& a) {
    return {a.x(), a.y(), a.z()};
}
inline Vec3 eigen_vector(const Vector3<double>& a) {
    return Vec3(a.x, a.y, a.z);
}

/// The vectors of four vertices out of a flat field.
inline Vector3<Pack> gather(const double* field, Index a, Index b, Index c, Index d) {
    const double* p = field + 3 * std::size_t(a);
    const double* q = field + 3 * std::size_t(b);
    const double* r = field + 3 * std::size_t(c);
    const double* s = field + 3 * std::size_t(d);
    return {Pack{p[0], q[0], r[0], s[0]}, Pack{p[1], q[1], r[1], s[1]},
            Pack{p[2], q[2], r[2], s[2]}};
}

/// Vertex `corner` of the four consecutive elements at `stencil`, `size` vertices each.
inline Vector3<Pack> gather(const double* field, const Index* stencil, int size, int corner) {
    return gather(field, stencil[corner], stencil[size + corner], stencil[2 * size + corner],
                  stencil[3 * size + corner]);
}

}  // namespace taffeta::energy

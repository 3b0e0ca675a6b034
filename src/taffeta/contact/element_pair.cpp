#include "taffeta/contact/element_pair.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "taffeta/contact/closest_point.h"
#include "taffeta/contact/exact_predicates.h"

namespace taffeta::contact {
namespace {

constexpr double parallel_sine = 1e-6;
/// Below this part of the elements' size a difference of nearest points is mostly rounding.
constexpr double clear_distance = 1e-9;

double clamp01(double s) {
    return std::clamp(s, 0.0, 1.0);
}

/// Parameter of the point of segment (a, b) nearest to p.
double along_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 ab = b - a;
    const double length2 = ab.squaredNorm();
    return length2 > 0 ? clamp01(ab.dot(p - a) / length2) : 0;
}

Weights of_edges(double a, double b) {
    return {1 - a, a, -(1 - b), -b};
}

/// The better of the four ways in which an end is nearest, and of the inner points where the lines
/// are not parallel.
Weights nearest_of_edges(const Corners& x) {
    const Vec3 u = x[1] - x[0], v = x[3] - x[2], w = x[0] - x[2];
    Weights best{};
    double least = INFINITY;
    const auto offer = [&](double a, double b) {
        const Weights weight = of_edges(a, b);
        const double distance = weighted(weight, x).squaredNorm();
        if (distance < least) {
            least = distance;
            best = weight;
        }
    };
    const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
    const double sine2 = uu * vv - uv * uv;
    if (sine2 > parallel_sine * parallel_sine * uu * vv) {
        const double a = (uv * v.dot(w) - vv * u.dot(w)) / sine2;
        const double b = (uu * v.dot(w) - uv * u.dot(w)) / sine2;
        if (a > 0 && a < 1 && b > 0 && b < 1) return of_edges(a, b);
    }
    offer(0, along_segment(x[0], x[2], x[3]));
    offer(1, along_segment(x[1], x[2], x[3]));
    offer(along_segment(x[2], x[0], x[1]), 0);
    offer(along_segment(x[3], x[0], x[1]), 1);
    return best;
}

Weights nearest_on_face(const Corners& x) {
    const Vec3 &a = x[1], &b = x[2], &c = x[3];
    const Vec3 normal = (b - a).cross(c - a);
    const double area2 = normal.squaredNorm();
    const double longest =
        std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    if (area2 > parallel_sine * parallel_sine * longest * longest) {
        const Vec3 q = closest_on_triangle(x[0], a, b, c).point;
        Vec3 part(normal.dot((b - q).cross(c - q)), normal.dot((c - q).cross(a - q)),
                  normal.dot((a - q).cross(b - q)));
        part = part.cwiseMax(0);
        part /= part.sum();
        return {1, -part[0], -part[1], -part[2]};
    }
    // A segment or a point: the nearest of its sides.
    Weights best{};
    double least = INFINITY;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = 1 + k, j = 1 + (k + 1) % 3;
        const double s = along_segment(x[0], x[i], x[j]);
        Weights weight{1, 0, 0, 0};
        weight[i] = -(1 - s);
        weight[j] = -s;
        const double distance = weighted(weight, x).squaredNorm();
        if (distance < least) {
            least = distance;
            best = weight;
        }
    }
    return best;
}

double size_of(const Corners& x) {
    Vec3 low = x[0], high = x[0];
    for (const Vec3& corner : x) {
        low = low.cwiseMin(corner);
        high = high.cwiseMax(corner);
    }
    return (high - low).norm();
}

/// Of (first - second) . `common_normal`: exact, which the difference of nearest points is not.
int side_of_first(CcdKind kind, const Corners& x) {
    return kind == CcdKind::vertex_face ? orientation_3d(x[1], x[2], x[3], x[0])
                                        : orientation_3d(x[0], x[1], x[2], x[3]);
}

}  // namespace

bool is_left_alone(const ElementPair& pair, std::span<const char> marked, Tangle tangle) {
    if (marked.empty()) return false;
    const std::size_t second = pair.kind == CcdKind::vertex_face ? 1 : 2;
    bool first_has = false, second_has = false;
    for (std::size_t k = 0; k < 4; ++k)
        (k < second ? first_has : second_has) |=
            (marked[std::size_t(pair.vertex[k])] & tangle) != 0;
    return first_has && second_has;
}

Corners corners_of(const ElementPair& pair, const VecX& x) {
    Corners corners;
    for (std::size_t k = 0; k < 4; ++k)
        corners[k] = vec3(x, pair.vertex[k]);
    return corners;
}

std::string text(const ElementPair& pair) {
    const auto& v = pair.vertex;
    return pair.kind == CcdKind::vertex_face
               ? fmt::format("vertex {} and face ({}, {}, {})", v[0], v[1], v[2], v[3])
               : fmt::format("edges ({}, {}) and ({}, {})", v[0], v[1], v[2], v[3]);
}

Vec3 weighted(const Weights& weight, const Corners& x) {
    return weight[0] * x[0] + weight[1] * x[1] + weight[2] * x[2] + weight[3] * x[3];
}

Weights nearest_weights(CcdKind kind, const Corners& x) {
    return kind == CcdKind::vertex_face ? nearest_on_face(x) : nearest_of_edges(x);
}

Vec3 common_normal(CcdKind kind, const Corners& x) {
    const bool face = kind == CcdKind::vertex_face;
    const Vec3 u = face ? x[2] - x[1] : x[1] - x[0];
    const Vec3 v = face ? x[3] - x[1] : x[3] - x[2];
    const Vec3 normal = u.cross(v);
    const double length = normal.norm();
    return length > parallel_sine * u.norm() * v.norm() ? Vec3(normal / length) : Vec3::Zero();
}

Nearness nearness(CcdKind kind, const Corners& x) {
    Nearness found;
    found.weight = nearest_weights(kind, x);
    const Vec3 apart = weighted(found.weight, x);
    found.distance = apart.norm();
    if (found.distance > clear_distance * size_of(x)) {
        found.normal = apart / found.distance;
        return found;
    }
    found.normal = common_normal(kind, x);
    if (side_of_first(kind, x) < 0) found.normal = -found.normal;
    return found;
}

}  // namespace taffeta::contact

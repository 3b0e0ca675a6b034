#include "taffeta/contact/walker_surface.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace taffeta::contact {
namespace {

/// Limbs that meet in a joint share a ball: equal within rounding, so that the first one is taken.
constexpr double same_ball = 1e-12;

/// The limb deepest around p, without `without`.
LimbHit deepest_limb(const Limbs& limbs, const Vec3& p, int without = -1) {
    LimbHit hit{1e300, Vec3::UnitY(), -1};
    for (int k = 0; k < body_part::count; ++k) {
        if (k == without) continue;
        const RoundCone::Distance distance = limbs[std::size_t(k)].cone.at(p);
        if (distance.value < hit.distance - same_ball) hit = {distance.value, distance.normal, k};
    }
    return hit;
}

/// The way out from p through limb `first`: the point nearest to p on the surfaces of a growing set
/// of limbs, at most three, until no other limb covers it. With d_a and n_a of these limbs at x,
///     x <- p + N^T y,   N N^T y = -(d_a + n_a.(p - x))_a.
bool way_out(const Limbs& limbs, const Vec3& p, int first, Vec3& x) {
    std::array<int, 3> active{first, -1, -1};
    int count = 1;
    x = p;
    for (int iteration = 0; iteration < 40; ++iteration) {
        Eigen::Matrix<double, Eigen::Dynamic, 3, 0, 3, 3> normals(count, 3);
        Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1> gap(count);
        double residual = 0;
        for (int a = 0; a < count; ++a) {
            const auto distance = limbs[std::size_t(active[std::size_t(a)])].cone.at(x);
            normals.row(a) = distance.normal.transpose();
            gap[a] = distance.value + distance.normal.dot(p - x);
            residual = std::max(residual, std::abs(distance.value));
        }
        if (iteration > 0 && residual < same_ball) {
            const LimbHit cover = deepest_limb(limbs, x);
            if (cover.distance > -10 * same_ball) return true;
            if (count == 3) return false;
            active[std::size_t(count++)] = cover.limb;
            continue;
        }
        const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> gram =
            normals * normals.transpose();
        const Eigen::FullPivLU<std::decay_t<decltype(gram)>> factors(gram);
        if (factors.rcond() < 1e-10) return false;
        x = p - normals.transpose() * factors.solve(gap);
    }
    return false;
}

/// Some way out, not the nearest: out of the deepest limb, again and again.
bool walk_out(const Limbs& limbs, Vec3& x) {
    for (int iteration = 0; iteration < 500; ++iteration) {
        const LimbHit cover = deepest_limb(limbs, x);
        if (cover.distance > -10 * same_ball) return true;
        x -= cover.distance * cover.normal;
    }
    return false;
}

/// Faces near a crease end this far outside the other limb, m: their middles lie inside their own limb
/// and must not lie inside both.
constexpr double crease_margin = 5e-4;

/// Whether another limb covers x on the surface of `own`. Less margin is asked for where the surfaces
/// are tangent, so that the joint of two limbs that share a ball stays closed: the first limb has it.
bool is_covered(const Limbs& limbs, int own, const Vec3& x) {
    const Vec3 normal = limbs[std::size_t(own)].cone.at(x).normal;
    for (int k = 0; k < body_part::count; ++k) {
        if (k == own) continue;
        const RoundCone::Distance other = limbs[std::size_t(k)].cone.at(x);
        const double sine_sq = normal.cross(other.normal).squaredNorm();
        if (other.value < (k < own ? crease_margin * sine_sq + 1e-9 : -1e-7)) return true;
    }
    return false;
}

/// Moves a vertex of a limb's surface along that surface until no other limb covers it.
bool slide_to_crease(const Limbs& limbs, int own, Vec3& x) {
    for (int iteration = 0; iteration < 30; ++iteration) {
        const RoundCone::Distance here = limbs[std::size_t(own)].cone.at(x);
        x -= here.value * here.normal;
        const LimbHit cover = deepest_limb(limbs, x, own);
        if (cover.distance > 0.9 * crease_margin) return true;
        const Vec3 along = cover.normal - cover.normal.dot(here.normal) * here.normal;
        const double slope_sq = along.squaredNorm();
        // Tangent surfaces: nothing to cut off.
        if (slope_sq < 0.01) return cover.distance > -2 * crease_margin;
        x += (crease_margin - cover.distance) / slope_sq * along;
    }
    return false;
}

/// Whether a face no longer lies along the surface, since its corners were moved.
bool turned_over(const RoundCone& cone, const mesh::TriMesh& mesh, const Triangle& face) {
    const Vec3& a = mesh.position[std::size_t(face[0])];
    const Vec3& b = mesh.position[std::size_t(face[1])];
    const Vec3& c = mesh.position[std::size_t(face[2])];
    const Vec3 area = (b - a).cross(c - a);
    return area.dot(cone.at((a + b + c) / 3).normal) <= 0.8 * area.norm();
}

}  // namespace

LimbHit nearest_limb(const Limbs& limbs, const Vec3& p) {
    LimbHit hit = deepest_limb(limbs, p);
    if (!(hit.distance < 0)) return hit;
    if (deepest_limb(limbs, p - hit.distance * hit.normal).distance > -10 * same_ball) return hit;
    double least = 1e300;
    Vec3 best = p;
    for (int k = 0; k < body_part::count; ++k) {
        Vec3 x;
        if (limbs[std::size_t(k)].cone.at(p).value >= 0 || !way_out(limbs, p, k, x)) continue;
        const double distance = (x - p).norm();
        if (distance >= least) continue;
        least = distance;
        best = x;
        hit.limb = k;
    }
    // Where more than three limbs meet.
    if (Vec3 x = p; least == 1e300 && walk_out(limbs, x)) {
        best = x;
        least = (x - p).norm();
        hit.limb = deepest_limb(limbs, x).limb;
    }
    if (least < 1e300 && least > 0) {
        hit.distance = -least;
        hit.normal = (best - p) / least;
    }
    return hit;
}

mesh::TriMesh limbs_surface(const Limbs& limbs, int segments) {
    mesh::TriMesh all;
    for (int k = 0; k < body_part::count; ++k) {
        mesh::TriMesh part = limbs[std::size_t(k)].cone.surface(segments);
        std::vector<char> covered(part.position.size());
        for (std::size_t i = 0; i < part.position.size(); ++i)
            covered[i] = is_covered(limbs, k, part.position[i]);
        std::vector<Index> number(part.position.size(), -1);
        for (const Triangle& face : part.face) {
            if (covered[std::size_t(face[0])] && covered[std::size_t(face[1])] &&
                covered[std::size_t(face[2])])
                continue;
            bool kept = true;
            for (const Index vertex : face) {
                const auto i = std::size_t(vertex);
                if (!covered[i] || number[i] >= 0) continue;
                kept = kept && slide_to_crease(limbs, k, part.position[i]);
            }
            if (!kept || turned_over(limbs[std::size_t(k)].cone, part, face)) continue;
            Triangle moved;
            for (std::size_t c = 0; c < 3; ++c) {
                Index& index = number[std::size_t(face[c])];
                if (index < 0) {
                    index = all.vertex_count();
                    all.position.push_back(part.position[std::size_t(face[c])]);
                }
                moved[c] = index;
            }
            all.face.push_back(moved);
        }
    }
    return all;
}

}  // namespace taffeta::contact

#include "taffeta/mesh/triangulate.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace taffeta::mesh {

namespace {

constexpr std::size_t most_corners_to_cut = 1000;
/// A corner whose doubled area is below this share of the squared polygon size counts as straight.
constexpr double straight_share = 1e-12;

double cross(const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (c.x() - a.x()) * (b.y() - a.y());
}

/// The polygon seen along its area normal, so that it runs counter-clockwise; empty without area.
std::vector<Vec2> seen_along_normal(std::span<const Vec3> corner, double& size_sq) {
    Vec3 normal = Vec3::Zero();
    size_sq = 0;
    for (std::size_t i = 1; i + 1 < corner.size(); ++i)
        normal += (corner[i] - corner[0]).cross(corner[i + 1] - corner[0]);
    for (const Vec3& x : corner)
        size_sq = std::max(size_sq, (x - corner[0]).squaredNorm());
    if (!(normal.norm() > straight_share * size_sq)) return {};
    normal.normalize();
    const Vec3 side = normal.unitOrthogonal(), up = normal.cross(side);
    std::vector<Vec2> seen;
    seen.reserve(corner.size());
    for (const Vec3& x : corner)
        seen.emplace_back(side.dot(x - corner[0]), up.dot(x - corner[0]));
    return seen;
}

/// Every corner turns left, and all of them together once around.
bool is_convex(const std::vector<Vec2>& seen, double limit) {
    double turn = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const Vec2& b = seen[(i + 1) % seen.size()];
        const Vec2& c = seen[(i + 2) % seen.size()];
        const double left = cross(seen[i], b, c);
        if (left <= limit) return false;
        turn += std::atan2(left, (b - seen[i]).dot(c - b));
    }
    return turn < 7;  // 2 pi once, 4 pi for a star
}

/// The triangle is turned left and holds no other corner that is left.
bool is_ear(const std::vector<Vec2>& seen, const std::vector<Index>& left, std::size_t i,
            double limit) {
    const std::size_t n = left.size();
    const Index before = left[(i + n - 1) % n], own = left[i], after = left[(i + 1) % n];
    const Vec2& a = seen[std::size_t(before)];
    const Vec2& b = seen[std::size_t(own)];
    const Vec2& c = seen[std::size_t(after)];
    if (cross(a, b, c) <= limit) return false;
    for (const Index other : left) {
        if (other == before || other == own || other == after) continue;
        const Vec2& p = seen[std::size_t(other)];
        if (p == a || p == b || p == c) continue;
        if (cross(a, b, p) >= 0 && cross(b, c, p) >= 0 && cross(c, a, p) >= 0) return false;
    }
    return true;
}

bool cut_ears(const std::vector<Vec2>& seen, double limit, std::vector<Triangle>& triangles) {
    std::vector<Index> left(seen.size());
    std::iota(left.begin(), left.end(), 0);
    std::size_t i = 0, without_ear = 0;
    while (left.size() > 3) {
        const std::size_t n = left.size();
        if (without_ear == n) return false;
        i %= n;
        if (!is_ear(seen, left, i, limit)) {
            ++i;
            ++without_ear;
            continue;
        }
        triangles.push_back({left[(i + n - 1) % n], left[i], left[(i + 1) % n]});
        left.erase(left.begin() + std::ptrdiff_t(i));
        without_ear = 0;
    }
    triangles.push_back({left[0], left[1], left[2]});
    return cross(seen[std::size_t(left[0])], seen[std::size_t(left[1])],
                 seen[std::size_t(left[2])]) > -limit;
}

void fan(std::size_t corners, std::vector<Triangle>& triangles) {
    for (std::size_t i = 1; i + 1 < corners; ++i)
        triangles.push_back({0, Index(i), Index(i + 1)});
}

}  // namespace

PolygonKind triangulate(std::span<const Vec3> corner, std::vector<Triangle>& triangles) {
    if (corner.size() == 3) {
        fan(3, triangles);
        return PolygonKind::convex;
    }
    double size_sq = 0;
    const std::vector<Vec2> seen = seen_along_normal(corner, size_sq);
    const double limit = straight_share * size_sq;
    if (!seen.empty() && is_convex(seen, limit)) {
        fan(corner.size(), triangles);
        return PolygonKind::convex;
    }
    const std::size_t first = triangles.size();
    if (!seen.empty() && corner.size() <= most_corners_to_cut && cut_ears(seen, limit, triangles))
        return PolygonKind::concave;
    triangles.resize(first);
    fan(corner.size(), triangles);
    return PolygonKind::not_simple;
}

}  // namespace taffeta::mesh

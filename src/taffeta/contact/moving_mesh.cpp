#include "taffeta/contact/moving_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "taffeta/base/error.h"

namespace taffeta::contact {
namespace {

constexpr Index moving_leaf_size = 4;

std::array<Vec3, 3> corners_of(const VecX& x, const Triangle& face) {
    return {vec3(x, face[0]), vec3(x, face[1]), vec3(x, face[2])};
}

}  // namespace

MovingMesh::MovingMesh(const mesh::TriMesh& mesh) : face_(mesh.face) {
    TAFFETA_ASSERT(!face_.empty());
    std::vector<Vec3> center;
    for (const auto& [a, b, c] : face_)
        center.push_back((mesh.position[std::size_t(a)] + mesh.position[std::size_t(b)] +
                          mesh.position[std::size_t(c)]) /
                         3);
    order_.resize(face_.size());
    std::iota(order_.begin(), order_.end(), Index(0));
    build(0, Index(face_.size()), center);
    find_neighbours();
}

Index MovingMesh::build(Index first, Index last, const std::vector<Vec3>& center) {
    const Index here = Index(node_.size());
    node_.emplace_back();
    if (last - first <= moving_leaf_size) {
        node_[std::size_t(here)] = {first, last - first, 0};
        return here;
    }
    Vec3 low = center[std::size_t(order_[std::size_t(first)])], high = low;
    for (Index k = first; k < last; ++k) {
        low = low.cwiseMin(center[std::size_t(order_[std::size_t(k)])]);
        high = high.cwiseMax(center[std::size_t(order_[std::size_t(k)])]);
    }
    Eigen::Index axis;
    (high - low).maxCoeff(&axis);
    const Index middle = first + (last - first) / 2;
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                     [&](Index i, Index j) {
                         const double at_i = center[std::size_t(i)][axis];
                         const double at_j = center[std::size_t(j)][axis];
                         return at_i < at_j || (at_i == at_j && i < j);
                     });
    const Index left = build(first, middle, center);
    const Index right = build(middle, last, center);
    node_[std::size_t(here)] = {left, 0, right};
    return here;
}

void MovingMesh::find_neighbours() {
    struct Side {
        Index low, high, face, corner;
        bool operator<(const Side& o) const {
            return std::tie(low, high, face, corner) < std::tie(o.low, o.high, o.face, o.corner);
        }
    };
    std::vector<Side> sides;
    for (Index f = 0; f < Index(face_.size()); ++f)
        for (Index k = 0; k < 3; ++k) {
            const Index a = face_[std::size_t(f)][std::size_t((k + 1) % 3)];
            const Index b = face_[std::size_t(f)][std::size_t((k + 2) % 3)];
            sides.push_back({std::min(a, b), std::max(a, b), f, k});
        }
    std::sort(sides.begin(), sides.end());
    neighbour_.assign(face_.size(), {-1, -1, -1});
    for (std::size_t k = 0; k < sides.size();) {
        std::size_t end = k + 1;
        while (end < sides.size() && sides[end].low == sides[k].low &&
               sides[end].high == sides[k].high)
            ++end;
        if (end - k == 2) {
            const Side &one = sides[k], &two = sides[k + 1];
            neighbour_[std::size_t(one.face)][std::size_t(one.corner)] = two.face;
            neighbour_[std::size_t(two.face)][std::size_t(two.corner)] = one.face;
        }
        boundary_edges_ += end - k == 1;
        k = end;
    }
}

MovingMesh::Pose MovingMesh::pose(VecX x) const {
    Pose pose;
    pose.x = std::move(x);
    pose.normal = VecX::Zero(pose.x.size());
    pose.degenerate.resize(face_.size());
    for (std::size_t f = 0; f < face_.size(); ++f) {
        const std::array<Vec3, 3> corner = corners_of(pose.x, face_[f]);
        const Vec3 area = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
        double longest_sq = 0;
        for (std::size_t k = 0; k < 3; ++k)
            longest_sq = std::max(longest_sq, (corner[(k + 1) % 3] - corner[k]).squaredNorm());
        pose.degenerate[f] = area.norm() <= 1e-14 * longest_sq;
        if (pose.degenerate[f]) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 u = corner[(k + 1) % 3] - corner[k], w = corner[(k + 2) % 3] - corner[k];
            vec3(pose.normal, face_[f][k]) +=
                std::atan2(u.cross(w).norm(), u.dot(w)) * area.normalized();
        }
    }
    const double infinity = std::numeric_limits<double>::infinity();
    pose.box.assign(node_.size(), {Vec3::Constant(infinity), Vec3::Constant(-infinity)});
    for (std::size_t n = node_.size(); n-- > 0;) {
        const Node& node = node_[n];
        Box& box = pose.box[n];
        const auto join = [&](const Vec3& low, const Vec3& high) {
            box.low = box.low.cwiseMin(low);
            box.high = box.high.cwiseMax(high);
        };
        for (Index k = 0; k < node.count; ++k)
            for (const Vec3& corner :
                 corners_of(pose.x, face_[std::size_t(order_[std::size_t(node.first + k)])]))
                join(corner, corner);
        if (node.count == 0)
            for (const Index child : {node.first, node.second})
                join(pose.box[std::size_t(child)].low, pose.box[std::size_t(child)].high);
    }
    return pose;
}

MovingMesh::Hit MovingMesh::closest(const Pose& pose, const Vec3& p, double limit) const {
    struct Waiting {
        Index node;
        double distance_sq;
    };
    // Median splits bound the depth by log2 of the number of faces, below 31.
    std::array<Waiting, 64> stack;
    Hit hit;
    hit.distance_sq = limit * limit;
    int size = 0;
    stack[std::size_t(size++)] = {0, pose.box[0].distance_sq(p)};
    while (size > 0) {
        const Waiting top = stack[std::size_t(--size)];
        if (top.distance_sq > hit.distance_sq) continue;
        const Node& node = node_[std::size_t(top.node)];
        for (Index k = 0; k < node.count; ++k) {
            const Index face = order_[std::size_t(node.first + k)];
            if (pose.degenerate[std::size_t(face)]) continue;
            const std::array<Vec3, 3> corner = corners_of(pose.x, face_[std::size_t(face)]);
            const ClosestPoint closest = closest_on_triangle(p, corner[0], corner[1], corner[2]);
            const double distance_sq = (p - closest.point).squaredNorm();
            if (distance_sq > hit.distance_sq) continue;
            if (distance_sq == hit.distance_sq && hit.face >= 0 && hit.face < face) continue;
            hit = {face, closest, distance_sq};
        }
        if (node.count > 0) continue;
        const double left = pose.box[std::size_t(node.first)].distance_sq(p);
        const double right = pose.box[std::size_t(node.second)].distance_sq(p);
        const bool right_first = right < left;
        stack[std::size_t(size++)] =
            right_first ? Waiting{node.first, left} : Waiting{node.second, right};
        stack[std::size_t(size++)] =
            right_first ? Waiting{node.second, right} : Waiting{node.first, left};
    }
    return hit;
}

Vec3 MovingMesh::face_normal(const Pose& pose, Index face) const {
    if (face < 0 || pose.degenerate[std::size_t(face)]) return Vec3::Zero();
    const std::array<Vec3, 3> corner = corners_of(pose.x, face_[std::size_t(face)]);
    return (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalized();
}

Vec3 MovingMesh::pseudonormal(const Pose& pose, const Hit& hit) const {
    const Vec3 own = face_normal(pose, hit.face);
    const int feature = int(hit.closest.feature);
    Vec3 normal = own;
    if (feature < 3)
        normal = vec3(pose.normal, face_[std::size_t(hit.face)][std::size_t(feature)]);
    else if (feature < 6)
        normal += face_normal(pose, neighbour_[std::size_t(hit.face)][std::size_t(feature - 3)]);
    const double length = normal.norm();
    return length > 1e-12 ? Vec3(normal / length) : own;
}

Vec3 MovingMesh::barycentric(const Pose& pose, const Hit& hit) const {
    const std::array<Vec3, 3> corner = corners_of(pose.x, face_[std::size_t(hit.face)]);
    const Vec3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    Vec3 weight = Vec3::UnitX();
    if (!(normal.squaredNorm() > 0)) return weight;
    for (std::size_t k = 0; k < 3; ++k)
        weight[Eigen::Index(k)] = (corner[(k + 1) % 3] - hit.closest.point)
                                      .cross(corner[(k + 2) % 3] - hit.closest.point)
                                      .dot(normal) /
                                  normal.squaredNorm();
    return weight;
}

}  // namespace taffeta::contact

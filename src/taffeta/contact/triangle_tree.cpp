#include "taffeta/contact/triangle_tree.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace taffeta::contact {
namespace {

constexpr Index leaf_size = 4;

}  // namespace

TriangleTree::TriangleTree(const mesh::TriMesh& mesh) {
    std::vector<Corners> all;
    std::vector<Vec3> center;
    all.reserve(mesh.face.size());
    for (Index f = 0; f < mesh.face_count(); ++f) {
        const Triangle& face = mesh.face[std::size_t(f)];
        const Corners corners{mesh.position[std::size_t(face[0])],
                              mesh.position[std::size_t(face[1])],
                              mesh.position[std::size_t(face[2])], f};
        const Vec3 ab = corners.b - corners.a, ac = corners.c - corners.a;
        const double longest_sq =
            std::max({ab.squaredNorm(), ac.squaredNorm(), (ac - ab).squaredNorm()});
        if (ab.cross(ac).norm() <= 1e-14 * longest_sq) continue;
        all.push_back(corners);
        center.push_back((corners.a + corners.b + corners.c) / 3);
    }
    if (all.empty()) return;
    std::vector<Index> order(all.size());
    std::iota(order.begin(), order.end(), Index(0));
    triangle_.reserve(all.size());
    root_ = build(0, Index(all.size()), center, all, order);
}

TriangleTree::Child TriangleTree::build(Index first, Index last, const std::vector<Vec3>& center,
                                        const std::vector<Corners>& all,
                                        std::vector<Index>& order) {
    const double infinity = std::numeric_limits<double>::infinity();
    Child child{{Vec3::Constant(infinity), Vec3::Constant(-infinity)}, 0, 0};
    Vec3 low = child.box.low, high = child.box.high;
    for (Index k = first; k < last; ++k) {
        const auto index = std::size_t(order[std::size_t(k)]);
        for (const Vec3* corner : {&all[index].a, &all[index].b, &all[index].c}) {
            child.box.low = child.box.low.cwiseMin(*corner);
            child.box.high = child.box.high.cwiseMax(*corner);
        }
        low = low.cwiseMin(center[index]);
        high = high.cwiseMax(center[index]);
    }
    if (last - first <= leaf_size) {
        child.first = Index(triangle_.size());
        child.count = last - first;
        for (Index k = first; k < last; ++k)
            triangle_.push_back(all[std::size_t(order[std::size_t(k)])]);
        return child;
    }
    Eigen::Index axis;
    (high - low).maxCoeff(&axis);
    const Index middle = first + (last - first) / 2;
    std::nth_element(order.begin() + first, order.begin() + middle, order.begin() + last,
                     [&](Index i, Index j) {
                         const double at_i = center[std::size_t(i)][axis];
                         const double at_j = center[std::size_t(j)][axis];
                         return at_i < at_j || (at_i == at_j && i < j);
                     });
    child.first = Index(node_.size());
    node_.emplace_back();
    const Child left = build(first, middle, center, all, order);
    const Child right = build(middle, last, center, all, order);
    node_[std::size_t(child.first)] = {{left, right}};
    return child;
}

TriangleTree::Hit TriangleTree::closest(const Vec3& p, double limit) const {
    // Depth first, the nearer child first; the median split bounds the depth by log2 of the number
    // of triangles, below 31.
    struct Waiting {
        const Child* child;
        double distance_sq;
    };
    std::array<Waiting, 64> stack;
    Hit hit;
    hit.distance_sq = limit * limit;
    if (empty()) return hit;
    int size = 0;
    stack[std::size_t(size++)] = {&root_, root_.box.distance_sq(p)};
    while (size > 0) {
        const Waiting top = stack[std::size_t(--size)];
        if (top.distance_sq > hit.distance_sq) continue;
        if (top.child->count > 0) {
            for (Index k = 0; k < top.child->count; ++k) {
                const Corners& corners = triangle_[std::size_t(top.child->first + k)];
                const ClosestPoint closest =
                    closest_on_triangle(p, corners.a, corners.b, corners.c);
                const double distance_sq = (p - closest.point).squaredNorm();
                if (distance_sq > hit.distance_sq) continue;
                // Equal distances (a shared edge or vertex): the lower face, not the first visited.
                if (distance_sq == hit.distance_sq && hit.face >= 0 && hit.face < corners.face)
                    continue;
                hit = {corners.face, closest, distance_sq};
            }
            continue;
        }
        const Node& node = node_[std::size_t(top.child->first)];
        const double left = node.child[0].box.distance_sq(p);
        const double right = node.child[1].box.distance_sq(p);
        const int nearer = right < left ? 1 : 0;
        stack[std::size_t(size++)] = {&node.child[1 - nearer], nearer ? left : right};
        stack[std::size_t(size++)] = {&node.child[nearer], nearer ? right : left};
    }
    return hit;
}

}  // namespace taffeta::contact

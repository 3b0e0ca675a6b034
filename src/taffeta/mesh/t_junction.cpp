#include "taffeta/mesh/t_junction.h"

#include <algorithm>

namespace taffeta::mesh {

namespace {

/// Points in a balanced tree of boxes. Why not a grid? One edge across a fine mesh would walk
/// through every cell.
class PointTree {
  public:
    PointTree(const std::vector<Vec3>& position, std::vector<Index> points)
        : position_(position), point_(std::move(points)) {
        if (!point_.empty()) build(0, point_.size());
    }

    /// Calls `visit(vertex)` for every point whose box the segment, padded, may meet.
    template <class Visit>
    void near_segment(const Vec3& a, const Vec3& b, double pad, const Visit& visit) const {
        if (!node_.empty()) descend(0, a, b, pad, visit);
    }

  private:
    static constexpr std::size_t leaf_size = 8;

    struct Node {
        Vec3 low, high;
        std::size_t begin, end;
        std::size_t right = 0;  ///< the left child follows its parent; 0 for a leaf
    };

    const Vec3& at(std::size_t i) const { return position_[std::size_t(point_[i])]; }

    void build(std::size_t begin, std::size_t end) {
        const std::size_t own = node_.size();
        Node node{at(begin), at(begin), begin, end};
        for (std::size_t i = begin; i < end; ++i) {
            node.low = node.low.cwiseMin(at(i));
            node.high = node.high.cwiseMax(at(i));
        }
        node_.push_back(node);
        if (end - begin <= leaf_size) return;
        Eigen::Index axis = 0;
        (node.high - node.low).maxCoeff(&axis);
        const std::size_t middle = begin + (end - begin) / 2;
        std::nth_element(point_.begin() + std::ptrdiff_t(begin),
                         point_.begin() + std::ptrdiff_t(middle),
                         point_.begin() + std::ptrdiff_t(end), [&](Index i, Index j) {
                             const double x = position_[std::size_t(i)][axis];
                             const double y = position_[std::size_t(j)][axis];
                             return x != y ? x < y : i < j;
                         });
        build(begin, middle);
        node_[own].right = node_.size();
        build(middle, end);
    }

    static bool meets(const Node& node, const Vec3& a, const Vec3& b, double pad) {
        double enter = 0, leave = 1;
        for (int axis = 0; axis < 3; ++axis) {
            const double low = node.low[axis] - pad, high = node.high[axis] + pad;
            const double along = b[axis] - a[axis];
            if (along == 0) {
                if (a[axis] < low || a[axis] > high) return false;
                continue;
            }
            const double t0 = (low - a[axis]) / along, t1 = (high - a[axis]) / along;
            enter = std::max(enter, std::min(t0, t1));
            leave = std::min(leave, std::max(t0, t1));
        }
        return enter <= leave;
    }

    template <class Visit>
    void descend(std::size_t own, const Vec3& a, const Vec3& b, double pad,
                 const Visit& visit) const {
        const Node& node = node_[own];
        if (!meets(node, a, b, pad)) return;
        if (node.right == 0) {
            for (std::size_t i = node.begin; i < node.end; ++i)
                visit(point_[i]);
            return;
        }
        descend(own + 1, a, b, pad, visit);
        descend(node.right, a, b, pad, visit);
    }

    const std::vector<Vec3>& position_;
    std::vector<Index> point_;
    std::vector<Node> node_;
};

bool lies_inside(const Vec3& point, const Vec3& a, const Vec3& b, double tolerance) {
    constexpr double end_share = 1e-3;
    const Vec3 along = b - a;
    const double t = (point - a).dot(along) / along.squaredNorm();
    return t > end_share && t < 1 - end_share && (a + t * along - point).norm() <= tolerance;
}

}  // namespace

std::vector<TJunction> find_t_junctions(const std::vector<Vec3>& position,
                                        const HalfEdges& half_edges, std::size_t limit) {
    std::vector<Index> boundary;
    for (Index e = 0; e < Index(half_edges.edge.size()); ++e)
        if (half_edges.of_edge(e).size() == 1) boundary.push_back(e);
    std::vector<Index> points;
    for (const Index e : boundary)
        for (const Index vertex : half_edges.edge[std::size_t(e)])
            points.push_back(vertex);
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.empty()) return {};

    Vec3 low = position[std::size_t(points[0])], high = low;
    for (const Index vertex : points) {
        low = low.cwiseMin(position[std::size_t(vertex)]);
        high = high.cwiseMax(position[std::size_t(vertex)]);
    }
    const double file_rounding = 5e-7 * (high - low).norm();

    const PointTree tree(position, points);
    std::vector<TJunction> found;
    std::vector<Index> inside;
    for (const Index e : boundary) {
        if (found.size() >= limit) break;
        const Edge& edge = half_edges.edge[std::size_t(e)];
        const Vec3& a = position[std::size_t(edge[0])];
        const Vec3& b = position[std::size_t(edge[1])];
        const double tolerance = 1e-5 * (b - a).norm() + file_rounding;
        inside.clear();
        tree.near_segment(a, b, tolerance, [&](Index vertex) {
            if (vertex == edge[0] || vertex == edge[1]) return;
            if (lies_inside(position[std::size_t(vertex)], a, b, tolerance))
                inside.push_back(vertex);
        });
        std::sort(inside.begin(), inside.end());
        for (const Index vertex : inside)
            found.push_back({vertex, edge});
    }
    return found;
}

}  // namespace taffeta::mesh

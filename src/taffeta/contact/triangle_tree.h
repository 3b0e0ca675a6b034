#pragma once

#include <vector>

#include "taffeta/contact/closest_point.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::contact {

/// A tree of axis-aligned boxes over the triangles of a mesh, for closest points.
///
/// Median split of the triangles' centres along their longest extent, ties by index: the tree, and
/// with it every answer, depends on the mesh only. A node holds the boxes of both its children, so
/// that a visit reads one stretch of memory; leaves hold at most four triangles, stored in leaf
/// order with their corners. Triangles without area are left out: their neighbours cover them.
class TriangleTree {
  public:
    explicit TriangleTree(const mesh::TriMesh& mesh);

    struct Hit {
        Index face = -1;  ///< -1: nothing within the limit
        ClosestPoint closest{};
        double distance_sq = 0;
    };
    /// The closest point within the distance `limit` of p.
    Hit closest(const Vec3& p, double limit) const;

    bool empty() const { return triangle_.empty(); }

  private:
    struct Box {
        Vec3 low, high;
        double distance_sq(const Vec3& p) const {
            return (low - p).cwiseMax(p - high).cwiseMax(0).squaredNorm();
        }
    };
    struct Child {
        Box box;
        Index first;  ///< of its triangles, or its node
        Index count;  ///< of triangles; 0: an inner node
    };
    struct Node {
        Child child[2];
    };
    struct Corners {
        Vec3 a, b, c;
        Index face;
    };

    Child build(Index first, Index last, const std::vector<Vec3>& center,
                const std::vector<Corners>& all, std::vector<Index>& order);

    std::vector<Corners> triangle_;  ///< in leaf order
    std::vector<Node> node_;
    Child root_{};
};

}  // namespace taffeta::contact

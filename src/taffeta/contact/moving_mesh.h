#pragma once

#include <vector>

#include "taffeta/contact/closest_point.h"
#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::contact {

/// A triangle mesh whose vertices move and whose faces stay: closest points and signs in any pose.
///
/// The tree of boxes is built once, by median splits of the first pose; for another pose only its boxes
/// are fitted again, in linear time. The sign comes from the angle-weighted pseudonormal of the feature
/// that the closest point lies on [Baerentzen05]: right everywhere on a closed surface that does not
/// intersect itself, and from the nearest sheet elsewhere.
class MovingMesh {
  public:
    MovingMesh() = default;
    /// Faces and first positions of `mesh`; must have a face.
    explicit MovingMesh(const mesh::TriMesh& mesh);

    struct Box {
        Vec3 low, high;
        double distance_sq(const Vec3& p) const {
            return (low - p).cwiseMax(p - high).cwiseMax(0).squaredNorm();
        }
    };
    struct Pose {
        VecX x;                ///< 3 #V, m
        VecX normal;           ///< 3 #V, angle-weighted sums, not of unit length
        std::vector<Box> box;  ///< per node
        std::vector<char>
            degenerate;  ///< #F: without area in this pose; their neighbours cover them
    };
    Pose pose(VecX x) const;

    struct Hit {
        Index face = -1;  ///< -1: nothing within the limit
        ClosestPoint closest{};
        double distance_sq = 0;
    };
    /// The closest point within `limit` of p; of several the one on the lowest face.
    Hit closest(const Pose& pose, const Vec3& p, double limit) const;
    /// Unit, outward.
    Vec3 pseudonormal(const Pose& pose, const Hit& hit) const;
    /// Of the point in the face, for what vertices carry.
    Vec3 barycentric(const Pose& pose, const Hit& hit) const;

    const std::vector<Triangle>& faces() const { return face_; }
    Index boundary_edges() const { return boundary_edges_; }

  private:
    struct Node {
        Index first =
            0;  ///< of its faces in `order_`, or its first child; the second follows the first
        Index count = 0;  ///< of faces; 0: an inner node
        Index second = 0;
    };
    Index build(Index first, Index last, const std::vector<Vec3>& center);
    void find_neighbours();
    Vec3 face_normal(const Pose& pose, Index face) const;

    std::vector<Triangle> face_;
    std::vector<std::array<Index, 3>> neighbour_;  ///< #F across the edge opposite corner k, or -1
    std::vector<Node> node_;                       ///< children after their parents
    std::vector<Index> order_;                     ///< faces, in leaf order
    Index boundary_edges_ = 0;
};

}  // namespace taffeta::contact

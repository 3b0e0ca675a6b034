#pragma once

#include "taffeta/base/error.h"
#include "taffeta/contact/triangle_tree.h"

namespace taffeta::contact {

/// The same mesh with its faces turned outward: a surface that has negative signed volume is
/// turned inside out, with a diagnostic. Throws bad input when the surface is open, not manifold
/// or not consistently wound, naming the edge.
mesh::TriMesh closed_outward_surface(const mesh::TriMesh& mesh, Diagnostics& diagnostics);

/// Signed distance to a closed, outward oriented triangle mesh.
///
/// The nearest point comes from a box tree; the sign from the angle-weighted pseudonormal of the
/// vertex, edge or face on which it lies [Baerentzen05], which is right everywhere, where the plain
/// face normal is wrong near sharp vertices. A coarse grid of distances answers `near` in
/// nanoseconds: a distance changes by at most as much as the point moves.
class MeshDistance {
  public:
    /// `mesh` as `closed_outward_surface` returns it.
    explicit MeshDistance(const mesh::TriMesh& mesh);

    struct Result {
        double distance;  ///< m, negative inside
        Vec3 normal;      ///< unit, outward: the gradient of the distance
        Index face;
    };
    Result at(const Vec3& p) const;
    /// False only if p is surely at least `distance` away from the solid.
    bool near(const Vec3& p, double distance) const;

  private:
    void make_normals(const mesh::TriMesh& mesh);
    void make_grid();
    /// The grid's centre nearest to p, clamped to the grid, and its cell.
    Vec3 cell_center(const Vec3& p, std::size_t& cell) const;
    Result evaluate(const Vec3& p, double limit) const;

    TriangleTree tree_;
    std::vector<std::array<Vec3, 7>> normal_;  ///< #F, of its features, as TriangleFeature counts
    double tiny_ = 0;                          ///< below, p - closest has no direction, m
    Vec3 low_, high_;                          ///< of the mesh
    double cell_size_ = 0;
    std::array<Index, 3> cells_{};
    std::vector<double> grid_;  ///< distance at the cells' centres, m
};

}  // namespace taffeta::contact

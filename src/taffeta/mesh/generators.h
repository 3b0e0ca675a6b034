#pragma once

#include <string>

#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::mesh {

enum class Tessellation { regular, alternating, irregular };

/// An (nx+1) x (ny+1) grid on [0, width] x [0, height] of the plane z = 0, with uv = (x, y).
/// `irregular` moves interior vertices by a counted random jitter and makes the triangulation
/// Delaunay by Lawson flips, the first `straight_columns` columns apart: a clamp along a jittered line
/// would be another clamp; `alternating` turns the diagonal of every other cell.
TriMesh grid(Index nx, Index ny, double width, double height, Tessellation tessellation,
             std::uint64_t seed = 1, Index straight_columns = 0);

/// The L-shape of the re-entrant scene: the grid on the unit square without the a x b cells at the
/// (1, 1) corner, row-major numbering of the kept vertices.
TriMesh l_shape(Index nx, Index ny, Index a, Index b, Tessellation tessellation,
                std::uint64_t seed = 1);

/// Size of the L-shape with exactly m^2 vertices (the table of the benchmark for its twelve sizes,
/// otherwise the minimiser of |2a/nx - 1| + |2b/ny - 1| + 1.5 |nx/ny - 1|). Bad input where no cut
/// leaves m^2 vertices.
struct LShapeSize {
    Index nx, ny, a, b;
};
LShapeSize l_shape_size(Index m);

/// Closed, with outward normals, around the origin; the axis of the cylinder is z. A capsule runs
/// from the centre of one cap to that of the other.
TriMesh icosphere(double radius, int subdivisions);
TriMesh box(const Vec3& half_size);
TriMesh capsule(double radius, const Vec3& from, const Vec3& to, int segments);
TriMesh cylinder(double radius, double height, int segments);
/// A tube of cloth along +x from the origin, with the uv of the sheet that it was rolled from (u along
/// x); groups `start` and `end` are its rims.
TriMesh tube(double radius, double length, Index around, Index along);
/// One ribbon of a reef knot about the origin, its ends (group `ends`) at x = -0.36 m; the other one is
/// the same turned by 180 degrees about y. uv of the straight ribbon, m.
TriMesh bight(double width, Index across);
Index bight_vertices(double width, Index across);
/// Flat in z = 0 with uv = (x, y): a centre, and ring k of 6 k vertices at angles 2 pi j / (6 k).
/// `irregular` moves the vertices inside by a counted random jitter and makes the triangulation Delaunay. With
/// `still_rings` it leaves the centre and as many rings where they are, for a clamp along a circle.
TriMesh disc(double radius, int rings, Tessellation tessellation = Tessellation::regular,
             std::uint64_t seed = 1, Index still_rings = 0);

}  // namespace taffeta::mesh

#pragma once

#include <vector>

#include "taffeta/mesh/topology.h"

namespace taffeta::mesh {

/// The undeformed state of every triangle in material coordinates (u = warp, v = weft), and the
/// rest angles of the hinges. Material coordinates belong to the face, so seams need nothing else.
struct RestShape {
    std::vector<std::array<Vec2, 3>> face_uv;  ///< #F corners, m, counter-clockwise
    std::vector<double> area;                  ///< #F, m^2
    std::vector<double> hinge_angle;           ///< #hinges, rad; 0 for flat panels and seams
    std::vector<double> hinge_length;          ///< #hinges, rest length of the shared edge, m
};

/// From the mesh's own uv times `scale` (m per uv unit). Throws bad input when uv are missing or a
/// triangle is degenerate; triangles wound the other way round than most are an error that names
/// them, a chart that is mirrored as a whole is turned.
RestShape rest_from_uv(const TriMesh& mesh, const Topology& topology, double scale);

/// From a 3D rest mesh of the same topology: each triangle is laid flat with its own frame (u along
/// the projection of `warp`, or of edge 0->1 where that is normal to it); hinge angles are those
/// of the rest mesh when `keep_angles`.
RestShape rest_from_mesh(const TriMesh& rest, const Topology& topology, const Vec3& warp,
                         bool keep_angles);

/// Angle of a hinge, atan2((n1 x n2).e/l, n1.n2) in (-pi, pi], positive where normals diverge.
double hinge_angle(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3);

/// Lumped (barycentric) vertex masses: density (kg/m^2) times a third of each incident rest area.
std::vector<double> lumped_mass(const TriMesh& mesh, const RestShape& rest, double density);

}  // namespace taffeta::mesh

#pragma once

#include "taffeta/mesh/tri_mesh.h"

/// Tessellations of the rounded solids, for pictures.
namespace taffeta::contact {

/// A closed box with edges and corners of the given radius (0: sharp), centred at the origin.
/// `half_size` includes the rounding; every quarter turn has `steps` facets.
mesh::TriMesh rounded_box(const Vec3& half_size, double rounding, int steps);

/// A closed solid of revolution about the y axis. The profile (radius, y) runs from the bottom to
/// the top; its first and last points lie on the axis.
mesh::TriMesh revolved(const std::vector<Vec2>& profile, int segments);

/// The profile of a cylinder of the y axis whose rims are rounded.
std::vector<Vec2> rounded_cylinder_profile(double radius, double height, double rounding,
                                           int steps);

}  // namespace taffeta::contact

#pragma once

#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::mesh {

/// Turns a valid triangulation of the plane (x, y) into the constrained Delaunay triangulation of
/// the same points and boundary by Lawson's edge flips [Lawson77].
///
/// The result is unique when no four neighbouring points lie on one circle, and its faces are
/// sorted (lowest vertex first, then by vertices), so that it does not tell how it was found.
/// Near a regular start the number of flips is about the number of faces.
void make_delaunay(const std::vector<Vec3>& position, std::vector<Triangle>& face);

/// > 0 where d lies inside the circle through a, b, c (counter-clockwise), 0 on it within rounding
/// in quadruple precision.
double in_circle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace taffeta::mesh

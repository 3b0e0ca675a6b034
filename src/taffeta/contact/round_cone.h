#pragma once

#include "taffeta/mesh/tri_mesh.h"

namespace taffeta::contact {

/// The convex hull of two balls: a capsule whose ends may differ.
///
/// In the plane of p and the axis, with rho the distance from the axis, y the height above `from` and
/// sin a = (r - R)/L, the side is the line through the balls' tangent points with normal
/// N = (cos a, sin a): d = N.(rho, y) - r between the tangent points, the distance to a ball beyond
/// them. Exact inside and outside.
struct RoundCone {
    Vec3 from, to;  ///< centres of the balls, m; neither ball contains the other
    double from_radius, to_radius;

    struct Distance {
        double value;  ///< m, negative inside
        Vec3 normal;   ///< its gradient, unit; some perpendicular of the axis on the axis
    };
    Distance at(const Vec3& p) const;

    /// Closed, `segments` faces around, every vertex on the surface.
    mesh::TriMesh surface(int segments) const;
};

}  // namespace taffeta::contact

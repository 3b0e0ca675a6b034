#pragma once

#include "taffeta/base/types.h"

namespace taffeta::contact {

/// The part of a triangle (a, b, c) on which a closest point lies. Edge k is opposite corner k.
enum class TriangleFeature : int { vertex_a, vertex_b, vertex_c, edge_a, edge_b, edge_c, face };

struct ClosestPoint {
    Vec3 point;
    TriangleFeature feature;
};

/// The point of a triangle nearest to p, by the Voronoi regions of its features [Ericson05, 5.1.5].
/// The triangle must have an area.
ClosestPoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace taffeta::contact

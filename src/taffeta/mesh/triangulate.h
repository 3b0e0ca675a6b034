#pragma once

#include <span>
#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::mesh {

enum class PolygonKind {
    convex,      ///< a fan from the first corner
    concave,     ///< ears cut, also where corners lie on a line
    not_simple,  ///< crosses itself or has no area: a fan, whatever it means
};

/// Cuts a polygon of n >= 3 corners into n - 2 triangles of corner numbers, appended to
/// `triangles`. The same corners give the same triangles. Polygons need not be flat: they are seen
/// along their area normal (Newell). Ear cutting takes n^2 to n^3 steps, so more than 1000 corners
/// that are not convex count as not simple.
PolygonKind triangulate(std::span<const Vec3> corner, std::vector<Triangle>& triangles);

}  // namespace taffeta::mesh

#pragma once

#include "taffeta/contact/walker_gait.h"

/// Distance to the union of the limbs of a walker, and a mesh of its surface.
namespace taffeta::contact {

struct LimbHit {
    double distance;  ///< to the union, m, negative inside
    Vec3 normal;
    int limb;  ///< that the nearest point of the surface belongs to; where two meet, the first
};

/// Outside, the nearest limb. Inside a limb whose nearest surface lies within another one, the
/// nearest point of the union's own surface, which is then a crease: found by Newton's method. Where
/// more than three limbs overlap, deep inside, it is a point of the surface but maybe not the nearest.
LimbHit nearest_limb(const Limbs& limbs, const Vec3& p);

/// The limbs' meshes without what lies inside others; rims are moved along their limb to the crease.
mesh::TriMesh limbs_surface(const Limbs& limbs, int segments);

}  // namespace taffeta::contact

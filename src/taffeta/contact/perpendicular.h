#pragma once

#include <Eigen/Geometry>

#include "taffeta/base/types.h"

namespace taffeta::contact {

/// A unit vector at right angles to the unit vector `axis`.
inline Vec3 any_perpendicular(const Vec3& axis) {
    Eigen::Index smallest;
    axis.cwiseAbs().minCoeff(&smallest);
    return axis.cross(Vec3::Unit(smallest)).normalized();
}

}  // namespace taffeta::contact

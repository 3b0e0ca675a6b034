#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "taffeta/base/fields.h"

namespace taffeta::contact {

/// One keyframe of a rigid motion.
struct Keyframe {
    double time = 0;                      ///< s
    Vec3 translate = Vec3::Zero();        ///< m
    Vec3 rotate = Vec3::Zero();           ///< rotation vector (axis times angle), degrees

    static Fields<Keyframe> fields();
};

/// A rigid motion by keyframes: translation linear, rotation by slerp between keys, constant
/// before the first and after the last; plus a steady spin about an axis. Empty: at rest.
struct Motion {
    std::vector<Keyframe> keyframes;
    Vec3 angular_velocity = Vec3::Zero();  ///< steady spin, rad/s, about `pivot`
    Vec3 pivot = Vec3::Zero();             ///< centre of all rotation, m

    static Fields<Motion> fields();

    struct Pose {
        Mat3 rotation = Mat3::Identity();
        Vec3 translation = Vec3::Zero();   ///< x_world = rotation * x_rest + translation
        Vec3 linear_velocity = Vec3::Zero();   ///< of the point now at `translation`, m/s
        Vec3 angular_velocity = Vec3::Zero();

        Vec3 to_world(const Vec3& rest) const { return rotation * rest + translation; }
        Vec3 to_rest(const Vec3& world) const {
            return rotation.transpose() * (world - translation);
        }
        /// Velocity of the material point that is now at `world`.
        Vec3 velocity(const Vec3& world) const {
            return linear_velocity + angular_velocity.cross(world - translation);
        }
    };
    Pose pose(double t) const;
};

}  // namespace taffeta::contact

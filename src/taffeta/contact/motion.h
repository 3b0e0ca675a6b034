#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "taffeta/base/fields.h"

namespace taffeta::contact {

/// One keyframe of a rigid motion.
struct Keyframe {
    double time = 0;                ///< s
    Vec3 translate = Vec3::Zero();  ///< m
    Vec3 rotate = Vec3::Zero();     ///< rotation vector (axis times angle), degrees

    static Fields<Keyframe> fields();
};

/// A rigid motion by keyframes, plus a steady spin about an axis. Empty: at rest.
///
///     x_world = pivot + translate(t) + exp(t angular_velocity) R(t) (x_rest - pivot)
///
/// `translate` is linear between keys and R turns at a constant rate, both constant before the
/// first key and after the last. Two keys whose rotation vectors share an axis are joined about
/// that axis by the difference of their angles, so 0 -> 720 degrees is two turns; any others are
/// joined by slerp, the shorter way. The pivot is a point of the object at rest: it moves with
/// `translate`, and the spin's axis (given in the world) passes through it. At a key the velocity
/// is that of the segment that begins there.
struct Motion {
    std::vector<Keyframe> keyframes;
    Vec3 angular_velocity = Vec3::Zero();  ///< steady spin, rad/s, about `pivot`
    Vec3 pivot = Vec3::Zero();             ///< centre of all rotation, m

    static Fields<Motion> fields();

    bool at_rest() const { return keyframes.empty() && angular_velocity.isZero(0); }
    /// Throws bad input at `value` (the settings it was read from) unless key times ascend.
    void check(const Settings& value) const;

    struct Pose {
        Mat3 rotation = Mat3::Identity();
        Vec3 translation = Vec3::Zero();      ///< x_world = rotation * x_rest + translation
        Vec3 linear_velocity = Vec3::Zero();  ///< of the point now at `translation`, m/s
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

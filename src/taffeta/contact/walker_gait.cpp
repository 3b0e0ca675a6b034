#include "taffeta/contact/walker_gait.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::contact {
namespace {
namespace walker_body {

constexpr double pi_number = std::numbers::pi;
constexpr double tall = 1.75;  ///< m, of the body that the tables describe

/// A quantity and its rate of change.
struct Changing {
    double value = 0, rate = 0;

    Changing operator+(const Changing& o) const { return {value + o.value, rate + o.rate}; }
    Changing operator*(const Changing& o) const {
        return {value * o.value, rate * o.value + value * o.rate};
    }
    Changing operator*(double s) const { return {s * value, s * rate}; }
    Changing operator-() const { return {-value, -rate}; }
};

Changing constant(double value) {
    return {value, 0};
}

Changing cosine_of(const Changing& angle) {
    return {std::cos(angle.value), -angle.rate * std::sin(angle.value)};
}

/// From 0 to 1 while t goes from 0 to `duration`, with two continuous derivatives.
Changing eased(double t, double duration) {
    const double s = std::clamp(t / duration, 0.0, 1.0);
    return {s * s * s * (s * (6 * s - 15) + 10), 30 * s * s * (s - 1) * (s - 1) / duration};
}

enum BoneName : int {
    root,
    torso,
    skull,
    arm_left,
    arm_right,
    elbow_left,
    elbow_right,
    hip_left,
    hip_right,
    knee_left,
    knee_right,
    ankle_left,
    ankle_right,
    bone_count,
};

/// Where bones are jointed in the body that hangs straight down, m.
struct Bone {
    BoneName parent;
    Vec3 joint;
};
const std::array<Bone, bone_count> bones{{
    {root, {0, 0, 0}},
    {root, {0, 1.05, 0}},
    {torso, {0, 1.45, 0}},
    {torso, {0.185, 1.415, 0}},
    {torso, {-0.185, 1.415, 0}},
    {arm_left, {0.185, 1.135, 0}},
    {arm_right, {-0.185, 1.135, 0}},
    {root, {0.092, 0.92, 0}},
    {root, {-0.092, 0.92, 0}},
    {hip_left, {0.092, 0.5, 0}},
    {hip_right, {-0.092, 0.5, 0}},
    {knee_left, {0.092, 0.09, 0}},
    {knee_right, {-0.092, 0.09, 0}},
}};

struct Flesh {
    BoneName bone;
    RoundCone cone;
};
/// In the order of body_part::Name. Outer limbs taper faster, so that a straight limb is convex.
const std::array<Flesh, body_part::count> flesh{{
    {root, {{-0.055, 0.95, 0}, {0.055, 0.95, 0}, 0.1, 0.1}},
    {root, {{0, 0.98, 0}, {0, 1.25, 0}, 0.105, 0.1}},
    {torso, {{-0.06, 1.31, 0}, {0.06, 1.31, 0}, 0.095, 0.095}},
    {torso, {{0.02, 1.45, 0}, {0.175, 1.42, 0}, 0.058, 0.05}},
    {torso, {{-0.02, 1.45, 0}, {-0.175, 1.42, 0}, 0.058, 0.05}},
    {skull, {{0, 1.44, 0}, {0, 1.57, 0.01}, 0.056, 0.052}},
    {skull, {{0, 1.605, 0.025}, {0, 1.66, 0.005}, 0.075, 0.09}},
    {arm_left, {{0.185, 1.415, 0}, {0.185, 1.135, 0}, 0.048, 0.038}},
    {arm_right, {{-0.185, 1.415, 0}, {-0.185, 1.135, 0}, 0.048, 0.038}},
    {elbow_left, {{0.185, 1.135, 0}, {0.185, 0.89, 0}, 0.038, 0.027}},
    {elbow_right, {{-0.185, 1.135, 0}, {-0.185, 0.89, 0}, 0.038, 0.027}},
    {elbow_left, {{0.185, 0.87, 0}, {0.185, 0.79, 0.01}, 0.032, 0.025}},
    {elbow_right, {{-0.185, 0.87, 0}, {-0.185, 0.79, 0.01}, 0.032, 0.025}},
    {hip_left, {{0.092, 0.92, 0}, {0.092, 0.5, 0}, 0.076, 0.057}},
    {hip_right, {{-0.092, 0.92, 0}, {-0.092, 0.5, 0}, 0.076, 0.057}},
    {knee_left, {{0.092, 0.5, 0}, {0.092, 0.09, 0}, 0.057, 0.037}},
    {knee_right, {{-0.092, 0.5, 0}, {-0.092, 0.09, 0}, 0.057, 0.037}},
    {ankle_left, {{0.092, 0.04, -0.03}, {0.092, 0.028, 0.14}, 0.04, 0.028}},
    {ankle_right, {{-0.092, 0.04, -0.03}, {-0.092, 0.028, 0.14}, 0.04, 0.028}},
}};

/// `pose` followed, in the body's own coordinates, by a turn about an axis through `joint`.
Motion::Pose turned(const Motion::Pose& pose, const Vec3& joint, const Vec3& axis,
                    const Changing& angle) {
    const Mat3 turn = Eigen::AngleAxisd(angle.value, axis).toRotationMatrix();
    Motion::Pose result;
    result.rotation = pose.rotation * turn;
    result.translation = pose.to_world(joint - turn * joint);
    result.angular_velocity = pose.angular_velocity + angle.rate * (pose.rotation * axis);
    // The joint moves with the parent, everything else turns about it.
    const Vec3 pivot = pose.to_world(joint);
    result.linear_velocity =
        pose.velocity(pivot) + result.angular_velocity.cross(result.translation - pivot);
    return result;
}

/// First about x (flexion), then about z (spread) or y, of a bone at its joint.
struct Turns {
    Changing x, z, y;
};

std::array<Turns, bone_count> angles_at(const WalkerOptions& options, double t) {
    constexpr double degree = pi_number / 180;
    const double rate = pi_number * options.cadence / 60;
    const Changing w = eased(t, options.start), still = constant(1) + -w;
    const double reach = std::asin(options.step_length / (2 * leg_length(options.height)));
    std::array<Turns, bone_count> turns;
    const Changing twist = w * cosine_of({rate * t, rate}) * (4 * degree);
    turns[torso].y = twist;
    turns[skull].y = -twist;
    for (int side = 0; side < 2; ++side) {
        const double outward = side == 0 ? 1 : -1;
        const Changing phase{rate * t + side * pi_number, rate};
        const Changing swing = cosine_of(phase);
        const Changing hip = w * (constant(4 * degree) + swing * reach);
        const Changing lift = (constant(1) + cosine_of(phase + constant(-1.46 * pi_number))) * 0.5;
        const Changing knee = w * (constant(5) + lift * lift * lift * 55) * degree;
        turns[std::size_t(hip_left + side)] = {-hip, (still * 4 + w) * (outward * degree), {}};
        turns[std::size_t(knee_left + side)].x = knee;
        turns[std::size_t(ankle_left + side)].x = (hip + -knee) * 0.75;
        turns[std::size_t(arm_left + side)] = {w * swing * (options.arm_swing * degree),
                                               (still * 50 + w * 20) * (outward * degree),
                                               {}};
        turns[std::size_t(elbow_left + side)].x = -(w * (constant(20) + swing * -8) * degree);
    }
    return turns;
}

}  // namespace walker_body
}  // namespace

Fields<WalkerOptions> WalkerOptions::fields() {
    return {{"height", &WalkerOptions::height, "m; all lengths of the body scale with it",
             between(0.1, 10)},
            {"cadence", &WalkerOptions::cadence, "steps a minute", between(0, 400)},
            {"step_length", &WalkerOptions::step_length,
             "from heel to heel, m: how far the legs swing", at_least(0)},
            {"arm_swing", &WalkerOptions::arm_swing, "of the arms to either side, degrees",
             between(0, 60)},
            {"start", &WalkerOptions::start,
             "time from standing with spread arms, at 0 s, to walking, s", positive()},
            {"motion", &WalkerOptions::motion,
             "rigid motion of the whole: it walks on the spot, facing +z, on y = 0"}};
}

double leg_length(double height) {
    using namespace walker_body;
    return height / tall * (bones[hip_left].joint.y() - bones[ankle_left].joint.y());
}

Limbs limbs_at(const WalkerOptions& options, double t) {
    using namespace walker_body;
    const double scale = options.height / tall;
    const std::array<Turns, bone_count> turns = angles_at(options, t);
    std::array<Motion::Pose, bone_count> pose;
    pose[root] = options.motion.pose(t);
    for (std::size_t b = 1; b < bone_count; ++b) {
        const Vec3 joint = scale * bones[b].joint;
        pose[b] = pose[bones[b].parent];
        if (b == torso || b == skull) {
            pose[b] = turned(pose[b], joint, Vec3::UnitY(), turns[b].y);
            continue;
        }
        pose[b] = turned(pose[b], joint, Vec3::UnitZ(), turns[b].z);
        pose[b] = turned(pose[b], joint, Vec3::UnitX(), turns[b].x);
    }
    Limbs limbs;
    for (std::size_t k = 0; k < body_part::count; ++k) {
        const auto& [bone, cone] = flesh[k];
        limbs[k].pose = pose[bone];
        limbs[k].cone = {pose[bone].to_world(scale * cone.from),
                         pose[bone].to_world(scale * cone.to), scale * cone.from_radius,
                         scale * cone.to_radius};
    }
    return limbs;
}

}  // namespace taffeta::contact

#pragma once

#include <array>

#include "taffeta/contact/motion.h"
#include "taffeta/contact/round_cone.h"

/// A walking person made of round cones, with a gait in closed form.
///
/// The body stands on y = 0 and looks along +z; x points to its left. Every bone turns about one
/// joint by angles that are sums of sines of the phase phi = pi cadence/60 t (two steps are one turn;
/// the other leg is half a turn behind), and w(t) = 6 s^5 - 15 s^4 + 10 s^3 with s = t/start in [0, 1]
/// leads from standing with the arms spread to walking, so all positions are twice continuously
/// differentiable in time:
///
///     hip flexion    w (4 + A cos phi) degrees, sin A = step_length / (2 leg)
///     knee flexion   w (5 + 55 ((1 + cos(phi - 1.46 pi))/2)^3)
///     ankle          takes back three quarters of the pitch of the shin
///     arm flexion    -w arm_swing cos phi, elbow w (20 - 8 cos phi)
///     arm spread     50 standing, 20 walking; legs 4 and 1
///     torso          turns by 4 w cos phi about the vertical, the head looks ahead
///
/// It walks on the spot, as on a treadmill: the pelvis does not move. A rigid motion on top lets it
/// travel, and whatever is held at the pelvis can be given that motion too.
namespace taffeta::contact {

struct WalkerOptions {
    double height = 1.75;      ///< m; all lengths scale with it
    double cadence = 110;      ///< steps a minute
    double step_length = 0.6;  ///< m
    double arm_swing = 18;     ///< degrees to either side
    double start = 1;          ///< s from standing to walking
    Motion motion;

    static Fields<WalkerOptions> fields();
};

/// A solid part of the body at an instant, and the rigid motion of the bone that carries it.
struct Limb {
    RoundCone cone;     ///< in the world
    Motion::Pose pose;  ///< of its bone, from the body at rest with limbs hanging straight down
};

/// Numbers of the limbs.
namespace body_part {
enum Name : int {
    pelvis,
    waist,
    chest,
    left_shoulder,
    right_shoulder,
    neck,
    head,
    left_upper_arm,
    right_upper_arm,
    left_forearm,
    right_forearm,
    left_hand,
    right_hand,
    left_thigh,
    right_thigh,
    left_shin,
    right_shin,
    left_foot,
    right_foot,
    count,
};
}  // namespace body_part

using Limbs = std::array<Limb, body_part::count>;

/// The limbs at time t, with their velocities.
Limbs limbs_at(const WalkerOptions& options, double t);

/// Length of a leg from hip to ankle, m: a step is shorter than two of them.
double leg_length(double height);

}  // namespace taffeta::contact

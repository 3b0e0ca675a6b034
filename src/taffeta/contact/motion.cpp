#include "taffeta/contact/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace taffeta::contact {
namespace {

constexpr double radians = std::numbers::pi / 180;

Mat3 rotation_of(const Vec3& rotation_vector) {
    const double angle = rotation_vector.norm();
    if (angle == 0) return Mat3::Identity();
    return Eigen::AngleAxisd(angle, rotation_vector / angle).toRotationMatrix();
}

struct Turn {
    Mat3 rotation;
    Vec3 angular_velocity;
};

/// The rotation at a fraction of the way between two keys, and its rate.
Turn turn_between(const Keyframe& from, const Keyframe& to, double fraction) {
    const Vec3 first = radians * from.rotate, last = radians * to.rotate;
    const double duration = to.time - from.time;
    if (first.cross(last).norm() <= 1e-12 * first.norm() * last.norm()) {
        const Vec3 difference = last - first;
        return {rotation_of(first + fraction * difference), difference / duration};
    }
    const Mat3 start = rotation_of(first);
    // Eigen's angle of a rotation matrix lies in [0, pi]: the shorter way round.
    const Eigen::AngleAxisd way(Mat3(rotation_of(last) * start.transpose()));
    const Vec3 difference = way.angle() * way.axis();
    return {rotation_of(fraction * difference) * start, difference / duration};
}

}  // namespace

Fields<Keyframe> Keyframe::fields() {
    return {{"time", &Keyframe::time, "s"},
            {"translate", &Keyframe::translate, "displacement from rest, m"},
            {"rotate", &Keyframe::rotate, "rotation vector: axis times angle, degrees"}};
}

Fields<Motion> Motion::fields() {
    return {{"keyframes", &Motion::keyframes, "poses to pass through, times ascending"},
            {"angular_velocity", &Motion::angular_velocity, "steady spin about the pivot, rad/s"},
            {"pivot", &Motion::pivot, "centre of all rotation, a point of the object at rest, m"}};
}

void Motion::check(const Settings& value) const {
    for (std::size_t k = 1; k < keyframes.size(); ++k)
        if (!(keyframes[k - 1].time < keyframes[k].time))
            value.fail(fmt::format("keyframes[{}].time = {} does not come after the {} before it",
                                   k, keyframes[k].time, keyframes[k - 1].time),
                       "list the keyframes in ascending order of time, each time once");
}

Motion::Pose Motion::pose(double t) const {
    Pose pose;
    if (at_rest()) return pose;
    Vec3 translate = Vec3::Zero(), translate_rate = Vec3::Zero();
    Turn turn{Mat3::Identity(), Vec3::Zero()};
    const auto next =
        std::upper_bound(keyframes.begin(), keyframes.end(), t,
                         [](double time, const Keyframe& key) { return time < key.time; });
    if (next != keyframes.begin() && next != keyframes.end()) {
        const Keyframe &from = *(next - 1), &to = *next;
        const double duration = to.time - from.time, fraction = (t - from.time) / duration;
        translate = from.translate + fraction * (to.translate - from.translate);
        translate_rate = (to.translate - from.translate) / duration;
        turn = turn_between(from, to, fraction);
    } else if (!keyframes.empty()) {
        const Keyframe& key = next == keyframes.begin() ? keyframes.front() : keyframes.back();
        translate = key.translate;
        turn.rotation = rotation_of(radians * key.rotate);
    }
    const Mat3 spin = rotation_of(t * angular_velocity);
    pose.rotation = spin * turn.rotation;
    pose.angular_velocity = angular_velocity + spin * turn.angular_velocity;
    pose.translation = pivot + translate - pose.rotation * pivot;
    // The pivot moves with the translation alone; everything else turns about it.
    pose.linear_velocity =
        translate_rate + pose.angular_velocity.cross(pose.translation - (pivot + translate));
    return pose;
}

}  // namespace taffeta::contact

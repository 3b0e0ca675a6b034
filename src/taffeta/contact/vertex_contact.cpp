#include "taffeta/contact/vertex_contact.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>

namespace taffeta::contact {
namespace {

constexpr double least_sine = 0.05;   ///< 3 degrees
constexpr double no_gain = 1.001;     ///< of slip, to stick again
constexpr int alteration_sweeps = 4;  ///< over the contacts of a vertex in a corner

/// The normals of the independent contacts of a vertex, to take vectors apart.
class NormalBasis {
  public:
    explicit NormalBasis(std::span<const StepContact> contacts) {
        for (const StepContact& contact : contacts)
            if (contact.independent) basis_.col(count_++) = contact.touch.normal;
        // Filled up at right angles, so that solving with it is a least-squares fit by the normals.
        if (count_ == 1) basis_.col(1) = basis_.col(0).unitOrthogonal();
        if (count_ <= 2) basis_.col(2) = basis_.col(0).cross(basis_.col(1)).normalized();
        inverse_ = basis_.inverse();
    }

    /// a, with u = sum a_k n_k + (what is at right angles to all normals), in the contacts' order.
    Vec3 parts(const Vec3& u) const { return inverse_ * u; }
    Vec3 across(const Vec3& u) const {
        const Vec3 part = parts(u);
        Vec3 rest = u;
        for (int k = 0; k < count_; ++k)
            rest -= part[k] * basis_.col(k);
        return rest;
    }

  private:
    Mat3 basis_ = Mat3::Identity(), inverse_;
    int count_ = 0;
};

/// Marks the independent contacts and returns the velocity in their span that has every wanted
/// normal speed. `free` becomes the projector onto the rest.
Vec3 normal_velocity(std::span<StepContact> contacts, Mat3& free) {
    // The most urgent first; of two that agree up to 3 degrees the other one is then met as well.
    std::sort(contacts.begin(), contacts.end(), [](const StepContact& a, const StepContact& b) {
        return a.touch.normal_speed > b.touch.normal_speed ||
               (a.touch.normal_speed == b.touch.normal_speed &&
                a.record.obstacle < b.record.obstacle);
    });
    Vec3 velocity = Vec3::Zero();
    free.setIdentity();
    for (StepContact& contact : contacts) {
        const Vec3& normal = contact.touch.normal;
        const Vec3 rest = free * normal;
        const double sine = rest.norm();
        contact.independent = sine > least_sine;
        if (!contact.independent) continue;
        const Vec3 q = rest / sine;
        velocity += (contact.touch.normal_speed - normal.dot(velocity)) / sine * q;
        free -= q * q.transpose();
    }
    return velocity;
}

/// The short displacement y with n_k . y >= depth_k for all contacts, by sweeps over them.
Vec3 alteration_of(std::span<const StepContact> contacts, double longest) {
    Vec3 shift = Vec3::Zero();
    for (int sweep = 0; sweep < alteration_sweeps; ++sweep)
        for (const StepContact& contact : contacts) {
            const double missing = contact.touch.depth - contact.touch.normal.dot(shift);
            if (contact.touch.depth > 0 && missing > 0) shift += missing * contact.touch.normal;
        }
    const double length = shift.norm();
    return length > longest ? Vec3(longest / length * shift) : shift;
}

}  // namespace

Vec3 slip_of(const Touch& touch, const Vec3& velocity) {
    const Vec3 relative = velocity - touch.surface_velocity;
    return relative - touch.normal.dot(relative) * touch.normal;
}

void demand_step(std::span<StepContact> contacts, const VertexNumbers& numbers,
                 const Demands& demands) {
    Mat3 free;
    Vec3 target = normal_velocity(contacts, free);
    const Index vertex = contacts.front().record.vertex;
    vec3(demands.alteration, vertex) = alteration_of(contacts, numbers.longest_shift);

    Vec3 carrier = Vec3::Zero();
    int sticking = 0;
    for (const StepContact& contact : contacts)
        if (contact.record.state == ContactState::stick) {
            carrier += contact.touch.surface_velocity;
            ++sticking;
        }
    if (sticking > 0) {
        demands.filter.fix(vertex);
        demands.filter.set_target(vertex, target + free * carrier / sticking);
        return;
    }
    for (const StepContact& contact : contacts) {
        if (contact.independent) demands.filter.forbid(vertex, contact.touch.normal);
        const double speed = contact.slip.norm();
        if (speed == 0) continue;
        const double bound = contact.friction * contact.record.normal_force * numbers.step;
        const double impulse = std::min(bound, numbers.mass * speed);
        vec3(demands.impulse, vertex) -= impulse / speed * contact.slip;
    }
    demands.filter.set_target(vertex, target);
}

void judge_step(std::span<StepContact> contacts, const Vec3& impulse, const Vec3& velocity,
                const VertexNumbers& numbers, const ReleaseRule& rule) {
    const NormalBasis normals(contacts);
    const Vec3 parts = normals.parts(impulse);
    Eigen::Index column = 0;
    double bound = 0;
    Vec3 slip = Vec3::Zero();
    bool sticks = false;
    for (StepContact& contact : contacts) {
        const double part = contact.independent ? parts[column++] : 0;
        contact.record.normal_force = std::max(0.0, part) / numbers.step;
        bound += contact.friction * std::max(0.0, part);
        if (contact.record.state == ContactState::stick) {
            slip = contact.slip;
            sticks = true;
        }
        if (part < -rule.pull) contact.record.state = ContactState::released;
    }
    if (sticks) {
        // The part of the slip that the constraint stopped is not what holds the vertex.
        if (normals.across(impulse + numbers.mass * slip).norm() <= bound) return;
        for (StepContact& contact : contacts)
            if (contact.record.state == ContactState::stick)
                contact.record.state = ContactState::slide;
        return;
    }
    for (StepContact& contact : contacts) {
        if (contact.record.state != ContactState::slide || contact.friction <= 0) continue;
        const double speed = slip_of(contact.touch, velocity).norm();
        const double stopping = contact.friction * contact.record.normal_force * numbers.step;
        if (numbers.mass * speed <= stopping && speed <= rule.stick_velocity &&
            speed <= no_gain * contact.slip.norm())
            contact.record.state = ContactState::stick;
    }
}

}  // namespace taffeta::contact

#include "taffeta/contact/vertex_contact.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>

namespace taffeta::contact {
namespace {

constexpr double least_sine = 0.05;  ///< 3 degrees
/// Of the momentum that friction can take in a step: what has more is not held. A constraint holds for a step with
/// whatever force that takes, and what is dragged slowly would stick and tear itself loose all the time.
constexpr double at_rest = 1e-3;
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

Vec3 along_surface(const Touch& touch, const Vec3& u) {
    return u - touch.normal.dot(u) * touch.normal;
}

}  // namespace

Vec3 slip_of(const Touch& touch, const Vec3& velocity) {
    return along_surface(touch, velocity - touch.surface_velocity);
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
    Vec3 taken = Vec3::Zero();
    for (StepContact& contact : contacts) {
        if (contact.independent) demands.filter.forbid(vertex, contact.touch.normal);
        const Vec3 momentum =
            numbers.mass * contact.slip +
            along_surface(contact.touch, numbers.step * contact.record.drive + taken);
        const double size = momentum.norm();
        if (size == 0) continue;
        const double bound = contact.friction * contact.record.normal_force * numbers.step;
        contact.rubbing = -std::min(1.0, bound / size) * momentum;
        taken += contact.rubbing;
    }
    vec3(demands.impulse, vertex) += taken;
    demands.filter.set_target(vertex, target);
}

void judge_step(std::span<StepContact> contacts, const Vec3& impulse,
                const VelocityChange& velocity, const VertexNumbers& numbers,
                const ReleaseRule& rule) {
    const NormalBasis normals(contacts);
    const Vec3 parts = normals.parts(impulse);
    Eigen::Index column = 0;
    double bound = 0;
    Vec3 others = numbers.mass * (velocity.after - velocity.before) - impulse;
    bool sticks = false;
    for (StepContact& contact : contacts) {
        const double part = contact.independent ? parts[column++] : 0;
        contact.record.normal_force = std::max(0.0, part) / numbers.step;
        bound += contact.friction * std::max(0.0, part);
        others -= contact.rubbing;
        sticks = sticks || contact.record.state == ContactState::stick;
        if (part < -rule.pull) contact.record.state = ContactState::released;
    }
    const Vec3 driving = normals.across(others);
    for (StepContact& contact : contacts) {
        ContactRecord& record = contact.record;
        record.drive = driving / numbers.step;
        if (record.state == ContactState::released) continue;
        if (sticks) {
            if (driving.norm() > bound) record.state = ContactState::slide;
        } else if (contact.friction > 0) {
            const Vec3 slip = slip_of(contact.touch, velocity.after);
            const double stopping = contact.friction * record.normal_force * numbers.step;
            const double momentum =
                (numbers.mass * slip + along_surface(contact.touch, driving)).norm();
            const bool rests = numbers.mass * slip.norm() <= at_rest * stopping;
            if (rests && momentum <= stopping && slip.norm() <= rule.stick_velocity)
                record.state = ContactState::stick;
        }
    }
}

}  // namespace taffeta::contact

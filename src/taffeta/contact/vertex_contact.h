#pragma once

#include <span>

#include "taffeta/contact/contact_model.h"
#include "taffeta/contact/touch.h"

/// The contacts of one vertex: what they ask of a step, and what the step's impulse says of them.
namespace taffeta::contact {

enum class ContactState : std::int32_t { stick, slide, released };

/// What is remembered of a contact from one step to the next.
struct ContactRecord {
    Index vertex = 0;
    Index obstacle = 0;
    ContactState state = ContactState::stick;
    double normal_force = 0;  ///< of the last step, N
    /// What moved the vertex along the obstacle in the last step, but friction and what held it, N.
    Vec3 drive = Vec3::Zero();
};

/// A contact within a step. `record.state` is the state that the step is made with.
struct StepContact {
    ContactRecord record;
    Touch touch;
    double friction = 0;          ///< Coulomb coefficient
    Vec3 slip = Vec3::Zero();     ///< tangential velocity on the obstacle at t, m/s
    Vec3 rubbing = Vec3::Zero();  ///< impulse of sliding friction in this step, N s
    /// Its normal is forbidden by itself, not within another contact's.
    bool independent = false;
};

/// One step's numbers of a vertex.
struct VertexNumbers {
    double mass;           ///< kg
    double step;           ///< h, s
    double longest_shift;  ///< limit of |y|, m
};

/// Forbids the normals (all directions when a contact sticks), with the end-of-step velocity that
/// meets every `normal_speed`; sets the alteration that lifts the vertex out, and the impulse of sliding
/// friction, -min(mu f h, |T|) T/|T| with the tangential momentum T = m v_t + h drive that the vertex would
/// have without it: where it moves slowly, friction opposes what drives it. (Not |m v_t|: beside a stiff
/// membrane the momentum of one vertex is next to nothing, and it would creep as if there were no friction.)
/// Normals within 3 degrees of the span of more urgent ones are left out: their speeds would need
/// velocities of twenty times their size and more.
void demand_step(std::span<StepContact> contacts, const VertexNumbers& numbers,
                 const Demands& demands);

struct ReleaseRule {
    double pull;            ///< impulse towards the obstacle that a contact bears, N s
    double stick_velocity;  ///< a vertex that slips faster never sticks, m/s
};

/// Velocities of a vertex before and after a step, m/s.
struct VelocityChange {
    Vec3 before, after;
};

/// Decides the next step's states, normal forces and drives from the constraint impulse e = sum a_k n_k +
/// e_t. A contact with a_k < -pull is released. A sticking one slides when the tangential impulse
/// that holds it, |e_t + m slip| (without what it took to stop it), exceeds sum mu_k a_k. A sliding
/// one sticks when it has come to rest and friction can take all of the momentum T of the next step.
void judge_step(std::span<StepContact> contacts, const Vec3& impulse,
                const VelocityChange& velocity, const VertexNumbers& numbers,
                const ReleaseRule& rule);

/// Tangential velocity on the obstacle of a vertex of that velocity, m/s.
Vec3 slip_of(const Touch& touch, const Vec3& velocity);

}  // namespace taffeta::contact

#pragma once

#include "taffeta/contact/obstacle.h"

namespace taffeta::contact {

/// Where a vertex is and where it would be at the end of the step if nothing held it.
struct Flight {
    Vec3 from, to;  ///< m
    double time;    ///< t, s
    double step;    ///< h, s
};

/// What was between a vertex and an obstacle in the last step.
enum class History { none, held, released };

/// What one vertex and one obstacle have to do with each other in the coming step.
struct Touch {
    enum class State {
        away,
        close,     ///< within twice the thickness, but leaving or staying off by itself
        touching,  ///< everything below is set
    };
    State state = State::away;
    Vec3 normal = Vec3::Zero();            ///< outward, at the contact, at t+h
    Vec3 surface_velocity = Vec3::Zero();  ///< mean over the step of the material point there, m/s
    double normal_speed = 0;               ///< wanted n . v(t+h), m/s
    double depth = 0;                      ///< how far inside the offset surface at t, m, >= 0
};

/// Finds the contact of a vertex with an obstacle's offset surface (distance = thickness).
///
/// All is seen from the obstacle: the vertex flies from c, the place where the obstacle would carry
/// it to by t+h, straight to its expected end. A vertex that has a gap touches when it comes within
/// the thickness on that way, found by steps of the distance itself (sphere tracing), so a thin or
/// fast obstacle is not jumped over; its wanted speed lands it exactly on the tangent plane of the
/// offset surface. A vertex at the surface touches when it would not rise from it. One inside is
/// not given velocity to get out: its `depth` is left to the position alteration of
/// [BW98, section 6]. A held one is kept up to a gap of one thickness, since whether it may leave
/// is decided by the force on it. A released one is taken back only when it clearly returns.
Touch find_touch(const Obstacle& obstacle, const Flight& flight, double thickness, History history);

}  // namespace taffeta::contact

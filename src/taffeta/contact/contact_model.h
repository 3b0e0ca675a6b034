#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taffeta/base/registry.h"
#include "taffeta/contact/obstacle.h"
#include "taffeta/contact/position_contact.h"
#include "taffeta/contact/repulsion.h"
#include "taffeta/sparse/node_filter.h"

namespace taffeta::contact {

/// An obstacle in the world with the numbers of its contact.
struct PlacedObstacle {
    std::string name;
    std::unique_ptr<Obstacle> shape;
    double friction = 0.3;  ///< Coulomb coefficient, >= 0
};

/// What a contact model sees of the world.
struct Problem {
    const VecX& x;     ///< positions at t, m
    const VecX& v;     ///< velocities at t, m/s
    const VecX& mass;  ///< per vertex (n), kg; its size says n
    double time;       ///< t, s
    double step;       ///< h, s
    std::span<const PlacedObstacle> obstacles;
    std::span<const char> pinned;           ///< per vertex, 1 where a pin holds it: pins
                                            ///< win; may be empty
    std::span<const double> shortest_edge;  ///< per vertex, shortest incident rest edge, m
    /// What the cloth and the boundaries of soft bodies are made of, for models that see more than
    /// vertices. Fixed for the life of the model; may be empty.
    std::span<const Triangle> faces{};
    std::span<const Edge> edges{};
    bool last_try = true;  ///< no smaller step will be tried if this one fails
};

/// What contact asks of the coming step. Sized and cleared by the caller.
struct Demands {
    /// S, and the end-of-step velocities wanted in the forbidden directions, m/s (not changes):
    /// (I - S) v(t+h) = (I - S) target.
    sparse::NodeFilter& filter;
    VecX& alteration;      ///< y: displacement added to the end position without velocity, m
    VecX& impulse;         ///< explicit impulses on vertices (sliding friction), N s
    Repulsion& repulsion;  ///< springs between near elements, part of the linear system
};

struct ContactReport {
    Index contacts = 0;          ///< vertices held by an obstacle
    Index sliding = 0;           ///< of them with sliding friction
    Index released = 0;          ///< let go in this step
    Index pinned_conflicts = 0;  ///< pinned vertices that an obstacle pushes on
    double deepest = 0;          ///< m, farthest inside the thickness before the step (>= 0)
    double altered = 0;          ///< m, sum of |y|

    Index springs = 0;       ///< pairs of cloth that repel each other
    Index impacts = 0;       ///< pairs that would have met
    int rounds = 0;          ///< of impulses, zones and cuts
    Index zone_impacts = 0;  ///< pairs that zones were solved for
    Index stopped = 0;       ///< vertices that were stopped on their way
    Index touching = 0;      ///< pairs that touched before the step: left alone
    Index pinched = 0;       ///< pairs that nothing could hold apart, and that cross
    Index tangled = 0;       ///< edges and faces that still cross after a step that pinched them
    double detection_seconds = 0;
    double response_seconds = 0;
    /// Why no end of the step without intersections was found; empty when there is one. The step
    /// is then undone.
    std::string failure;
};

/// Contact touches a time step at two places only, before and after the solve, or else is the solve.
class ContactModel {
  public:
    virtual ~ContactModel() = default;

    /// Constraints, position alteration and friction for the step from t to t+h. The model's
    /// memory moves on to this step: to try it again, `load` what `save` gave before.
    virtual ContactReport before(const Problem& problem, const Demands& demands) = 0;
    /// After the solve: `constraint_impulse` = h times the force that the constraints exerted ON
    /// each vertex, N s (zero in free directions): e = A dv - b of the unfiltered backward Euler
    /// system, and positive along the outward normal where an obstacle pushes. Releases contacts
    /// that pull, decides stick or slip for the next step. `problem` is that of `before`, `filter`
    /// has the directions that it forbade; `x`, `v` are the new state and may be corrected.
    virtual void after(const Problem& problem, const sparse::NodeFilter& filter,
                       const VecX& constraint_impulse, VecX& x, VecX& v, ContactReport& report) = 0;

    /// The model's forces within a step, where they follow positions: the step is then the minimum that
    /// sim/barrier_step.h finds, between `before` and `after`. nullptr: all there is, is in `before`.
    virtual PositionContact* within_step() { return nullptr; }

    /// Whether a start with intersections is accepted, by a model that sees them.
    virtual bool tolerates_intersections() const { return true; }
    /// Whether every vertex that is not pinned must start outside of all obstacles.
    virtual bool needs_free_start() const { return false; }

    /// The model's memory between steps (which contacts stick), for checkpoints and retries.
    virtual std::vector<char> save() const = 0;
    virtual void load(std::span<const char> memory) = 0;
};

struct ContactModelProperties {
    bool guaranteed = false;    ///< promises that no vertex enters an obstacle
    bool self_contact = false;  ///< cloth does not cross cloth, nor the faces of obstacles
};

using ContactModelEntry = Entry<ContactModel, ContactModelProperties>;
Registry<ContactModelEntry> contact_models();

}  // namespace taffeta::contact

#pragma once

#include <string>

#include "taffeta/contact/impacts.h"
#include "taffeta/sparse/node_filter.h"

/// What to do with a motion from x0, where nothing touches, to x1 that crosses itself: change the end
/// as little as needed so that nothing touches on the way.
///
/// 1. Impulses, one pair after another in the order of time, each inelastic and with friction. Momentum
///    is conserved: sum_j w_j = 0, and at the contact sum_j w_j x_j = 0. [BFA02] section 7.4
/// 2. Impact zones: all impacts found so far as inequalities on the end,
///        min 1/2 |x1' - x1|^2_M   with   sum_j w_j n . x1'_j >= target,
///    by projected Gauss-Seidel with sums of impulses that only push. What separates is not glued
///    together, and what slides goes on sliding. [Harmon08] with the inequality
/// 3. A cut in time: the vertices of a zone that is still not free go a part of their way only, in
///    the end none of it. The start is free, so this ends, unless something that the cloth cannot hold
///    back (pins, obstacles) moves through it: that is a failure with a sentence, or tolerated.
namespace taffeta::contact {

struct ResponseOptions {
    double gap = 1e-4;      ///< left between elements that met, m
    double friction = 0.2;  ///< between cloth and cloth
    int impulse_rounds = 8;
    int zone_rounds = 20;
    bool tolerate_pinched = false;  ///< pairs that nothing can hold apart cross, and are counted
    bool only_moved = false;        ///< pairs of which no vertex moves are not searched for
};

struct ResponseReport {
    Index impacts = 0;  ///< found in the motion as it was proposed
    int impulse_rounds = 0, zone_rounds = 0, cut_rounds = 0;
    Index zone_impacts = 0;    ///< inequalities of the zones
    Index cut_vertices = 0;    ///< that were stopped on their way
    double smallest_part = 1;  ///< of the way that one of them went
    Index touching = 0;        ///< pairs that touched before the step: left alone
    Index pinched = 0;         ///< pairs that cross because nothing could hold them apart
    std::string failure;       ///< a sentence; empty when nothing touches any more

    bool ok() const { return failure.empty(); }
};

/// Who can be pushed, and how easily.
struct Movable {
    const VecX& mass;                           ///< per cloth vertex, kg
    const sparse::NodeFilter& filter;           ///< directions that obstacles and pins forbid
    std::span<const char> pinned;               ///< per cloth vertex; may be empty
    std::span<const double> obstacle_friction;  ///< per obstacle vertex
};

class Response {
  public:
    explicit Response(CollisionSurface surface) : finder_(std::move(surface)) {}

    /// Corrects the cloth's part of x1. All or nothing: on failure x1 is of no use.
    ResponseReport resolve(const VecX& x0, VecX& x1, const Movable& movable,
                           const ResponseOptions& options);

    ImpactFinder& finder() { return finder_; }

  private:
    class Pass;
    friend class Pass;
    ImpactFinder finder_;
};

}  // namespace taffeta::contact

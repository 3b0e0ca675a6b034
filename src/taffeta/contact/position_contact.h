#pragma once

#include <vector>

#include "taffeta/contact/repulsion.h"

namespace taffeta::contact {

/// Contact whose forces follow positions within a step, for a minimisation in positions that starts free
/// of contact and never crosses anything on its way. Obstacles go from where they are at t to where they
/// are at t + h along with it: `part` says how much of that way they have gone.
class PositionContact {
  public:
    virtual ~PositionContact() = default;

    /// Springs with the force and a positive semidefinite stiffness of the potential about x (3 n), with
    /// obstacles `part` of their way, and with friction. With `aim` > part the springs are set for
    /// obstacles that go on to there, which a linear solve then takes the cloth out of the way of.
    virtual void linearise(const VecX& x, double part, double aim,
                           std::vector<PairSpring>& springs) = 0;

    /// The potential of all but friction, J, with obstacles `part` of their way.
    virtual double value(const VecX& x, double part) = 0;
    /// No friction from now on in this step: at rest nothing says how things came to where they are.
    virtual void drop_friction() = 0;

    /// Shortens the way from (x, part) to (x1, part1) until nothing touches on it, for the very doubles
    /// of its end. Returns what is left of it, 1 when it was free, 0 when not even the start is.
    virtual double shorten(const VecX& x, double part, VecX& x1, double& part1) = 0;

    /// Where the minimisation ends: no vertex would move faster, m/s.
    virtual double tolerance() const = 0;
    virtual int max_iterations() const = 0;
    /// The pair that is nearest at the last linearisation, for messages.
    virtual std::string nearest() const = 0;
};

}  // namespace taffeta::contact

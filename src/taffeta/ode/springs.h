#pragma once

#include <span>

#include "taffeta/base/types.h"

/// Springs between particles, for the methods that move positions along constraints (PBD, XPBD,
/// projective dynamics) and so need to know more of a system than its force.
///
///     M a = f_ext(t, x, v) + sum over springs of  -(k (|d| - l) + c n . d') n  on i, and back on j,
///     d = x_i - x_j,  n = d/|d|
namespace taffeta::ode {

struct Spring {
    Index i = 0, j = 0;    ///< particles; coordinates 3 i ... 3 i + 2 of the state
    double length = 0;     ///< at rest, l, m
    double stiffness = 0;  ///< k, N/m
    double damping = 0;    ///< c, N s/m

    bool operator==(const Spring&) const = default;
};

/// What a system that consists of springs tells of itself; see SecondOrderSystem::spring_system.
/// Pins and contact enter as for every method, by `constrain`, `project` and the alteration, which
/// must treat each particle by itself.
class SpringSystem {
  public:
    virtual ~SpringSystem() = default;

    /// The same ones in every step, or others when the topology or a material changes.
    virtual std::span<const Spring> springs() const = 0;
    /// 1/m of each particle, 1/kg; 0 holds it where its velocity takes it.
    virtual const VecX& inverse_mass() const = 0;
    /// f_ext, everything but the springs, N. Counts as one force evaluation.
    virtual void external_force(double t, const VecX& x, const VecX& v, VecX& f) = 0;
    /// The whole force at the end of a step, as the method knows it: for the forces of constraints.
    virtual void end_force(const VecX& x, const VecX& v, const VecX& f) {
        (void)x, (void)v, (void)f;
    }
};

}  // namespace taffeta::ode

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "taffeta/base/registry.h"
#include "taffeta/ode/springs.h"
#include "taffeta/ode/system.h"

/// Problems to study integrators on. What the study measures on them is measured with the object
/// code that runs a garment: a problem is a `SecondOrderSystem` and what is known about its motion.
namespace taffeta::ode::study {

/// Estimates of floating-point operations, an addition or a multiplication each one, of what a step
/// asks of the system. Divisions, roots, sines and exponentials count as one too.
struct Cost {
    double force = 0;      ///< of f(t, x, v)
    double mass = 0;       ///< of M^-1 f
    double linearise = 0;  ///< of K and D
    double product = 0;    ///< of (m M + d D + k K) u
    double solve = 0;      ///< of a linear solve, its factorisation included
    double iteration = 0;  ///< of each iteration where the solve is iterative
};

/// A problem as particles on springs, for the methods that step those alone (spring_form.h).
struct ProblemSprings {
    std::vector<Spring>
        springs;        ///< between the particles of x, and held ones counted on from there
    VecX inverse_mass;  ///< of the particles of x, 1/kg
    VecX held;          ///< places of the held ones, m, three numbers each
    /// Everything but the springs, on the particles of x, N.
    std::function<void(double t, const VecX& x, const VecX& v, VecX& f)> external_force;
};

struct Problem {
    std::string key;
    std::shared_ptr<SecondOrderSystem> system;
    State start;
    double end = 1;            ///< s
    bool first_order = false;  ///< y' = f(t, y) by `FirstOrderAdapter`: y is v, x means nothing
    bool damped = false;       ///< f depends on v
    Cost cost;
    std::vector<std::string> names;  ///< of the components of x, or of y

    std::function<State(double t)> exact;                ///< in closed form; empty: none is known
    std::function<double(const State&)> energy;          ///< J; empty: has no meaning
    std::function<Vec3(const State&)> momentum;          ///< N s; empty: has no meaning
    std::function<Vec3(const State&)> angular_momentum;  ///< N m s about 0; empty: not conserved
    /// What the system needs to know before a step, constraints for instance; may be empty.
    std::function<void(const State&, double h)> prepare;
    std::optional<ProblemSprings> springs;  ///< empty: it is not made of springs

    /// y, or x: what is looked at.
    const VecX& values(const State& state) const { return first_order ? state.v : state.x; }
    /// The distance of two states: |(x, v)|, or |y|.
    double distance(const State& a, const State& b) const;
    /// |(x, v)|, or |y|.
    double size(const State& state) const;
};

struct ProblemProperties {
    bool first_order = false;
    bool damped = false;
    bool nonlinear = false;
    bool exact = true;         ///< in closed form
    bool exact_slopes = true;  ///< K and D are -df/dx and -df/dv, not made definite
    int first_steps = 20;      ///< the fewest steps at which to look for the order
    bool free_fall = false;    ///< constant forces: a parabola, exact from order two on
    Settings (*order_options)() = nullptr;  ///< with which to look; empty: the default ones
    int highest_order = 0;  ///< higher ones drown in the rounding of its forces; 0: none does
};

using ProblemEntry = Entry<Problem, ProblemProperties>;
Registry<ProblemEntry> problems();

/// The problem of that key with these options (an object); throws bad input with the nearest name.
std::unique_ptr<Problem> make_problem(const std::string& key,
                                      const Settings& options = Settings::object());

}  // namespace taffeta::ode::study

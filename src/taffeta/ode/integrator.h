#pragma once

#include <limits>
#include <span>

#include "taffeta/base/registry.h"
#include "taffeta/ode/error_scale.h"
#include "taffeta/ode/system.h"

namespace taffeta::ode {

/// How the stage equation M a = f(t, xp + alpha a, vp + beta a) is solved; stage.h has the equations.
struct NewtonOptions {
    std::string type = "newton";  ///< newton, inexact, simplified or springs
    int max_iterations = 20;
    double tolerance = 1e-8;           ///< stop: |S r| <= tolerance * (reference force)
    double linear_tolerance = 0;       ///< of each linear solve; 0: the solver's own
    std::string forcing = "constant";  ///< of inexact: constant or eisenstat_walker
    double eta = 0.02;                 ///< of inexact: |linear residual| <= eta |S r|
    bool line_search = true;

    static Fields<NewtonOptions> fields();
};

struct StepReport {
    SolveReport solve;  ///< the last linear solve, or why the step failed
    int linear_solves = 0;
    int linear_iterations = 0;  ///< summed
    int newton_iterations = 0;  ///< 0 for explicit and one-pass methods
    int force_evaluations = 0;
    /// Residuals that Newton's iteration took beside that of its start and that of each iteration:
    /// halved steps, the try that finds no more than rounding, a guess that was given up.
    int newton_rejected = 0;
    /// |S r| over the reference force where it was evaluated last: at the end, but where the tolerance of
    /// the step ended Newton (`Integrator::set_error_scale`).
    double newton_residual = 0;
    /// Rounding in r over the reference force, where it and not the goal ended Newton; else 0.
    double newton_floor = 0;

    bool ok() const { return solve.ok(); }
};

struct IntegratorProperties {
    int order = 1;
    int damped_order = 0;  ///< where f depends on v, if that is lower; 0: as `order`
    int rate_order = 0;    ///< of y' = f(t, y) (first_order.h), if that is higher; 0: as `order`
    /// Where K and D are not quite the slopes of f (made definite, say), if lower; 0: as `order`.
    int inexact_slopes_order = 0;
    bool exact_in_free_fall = false;  ///< under constant forces, though of first order
    bool implicit = false;
    bool a_stable = false;
    bool l_stable = false;
    bool stable_undamped = false;  ///< never grows on springs without damping; with it, may
    bool exact_on_linear = false;  ///< each linear motion at its own rate, damped or not
    bool stiffly_stable = false;   ///< stable in a sector around the negative real axis only
    bool symplectic = false;
    bool linearised = false;       ///< one linear solve a step
    bool estimates_error = false;  ///< `Integrator::local_error`, once started
    /// Steps particles on springs alone (`SecondOrderSystem::spring_system`) and fails elsewhere.
    bool needs_springs = false;
    /// Converges to a motion other than the system's: it adds damping, or takes springs as rods.
    bool other_motion = false;
    /// Needs one force more a step where it does not persist (`SecondOrderSystem::force_persists`).
    bool carries_force = false;
    int force_evaluations = 1;  ///< per step, outside Newton, once started
    /// Newton's iterations a step, of implicit methods that are not linearised. Each takes
    /// `residual_forces` for its start and as many for every iteration and rejected residual.
    int newton_stages = 1;
    int residual_forces = 1;
    int starting_steps = 1;  ///< of a run, which may cost more
};

/// Estimated error of one step, computed minus exact or its opposite, zero where prescribed.
struct ErrorEstimate {
    VecX x, v;
    int power = 0;  ///< it shrinks as h^power
};

/// Advances a second-order system by one step. Keeps its own history (multistep methods), which
/// `save`/`load` carry through checkpoints and retries.
class Integrator {
  public:
    virtual ~Integrator() = default;

    /// On success state is that at t + h and `acceleration` the a of the step's kernel; on failure
    /// neither state nor history changes.
    virtual StepReport step(SecondOrderSystem& system, State& state, double h) = 0;
    virtual const VecX& acceleration() const = 0;
    /// What the method declares with the options it was made with, from what its entry declares with
    /// the default ones.
    virtual IntegratorProperties declared(const IntegratorProperties& by_default) const {
        return by_default;
    }

    /// Of the last step; nullptr where the method, or that step of it, has none.
    virtual const ErrorEstimate* local_error() const { return nullptr; }
    /// Whether it will have one by what it was made with, a tableau from a file for instance, where
    /// `IntegratorProperties::estimates_error` of its entry cannot know.
    virtual bool made_to_estimate_error() const { return false; }
    /// A step may be longer than the one before by this factor at most without a new start.
    virtual double largest_growth() const { return std::numeric_limits<double>::infinity(); }

    /// Starts a multistep method from states at earlier times, oldest first, that led to `now`, as if
    /// it had made them. False where the method has no use for them.
    virtual bool start_from(SecondOrderSystem&, std::span<const State> past, const State& now) {
        (void)past, (void)now;
        return false;
    }

    virtual void set_newton(const NewtonOptions&) {}
    /// By what the error of steps is measured, so that stages are solved no better than it asks for.
    /// None: `ErrorScale{}`.
    virtual void set_error_scale(const ErrorScale&) {}
    virtual std::vector<char> save() const { return {}; }
    virtual void load(std::span<const char>) {}
};

using IntegratorEntry = Entry<Integrator, IntegratorProperties>;
Registry<IntegratorEntry> integrators();

}  // namespace taffeta::ode

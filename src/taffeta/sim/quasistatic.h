#pragma once

#include <string>

#include "taffeta/contact/position_contact.h"
#include "taffeta/sim/cloth_system.h"
#include "taffeta/sim/options.h"

namespace taffeta::sim {

enum class EquilibriumStatus {
    converged,
    at_rounding,  ///< the tolerance is below what the rounding of positions leaves: as far as it goes
    max_iterations,  ///< the gradient is still larger than the tolerance
    stalled,  ///< no descent along any damped direction: rounding, or a stiffness that is no use
    solver_failed,  ///< a linear solve failed however much damping there was
    not_finite,     ///< the state has no finite energy to start from
};
const char* to_string(EquilibriumStatus status);

struct EquilibriumReport {
    EquilibriumStatus status = EquilibriumStatus::converged;
    std::string message;  ///< a sentence with the numbers; empty when converged
    int iterations = 0;
    int refused = 0;      ///< solves that gave no step: indefinite, or no fall of the energy
    int evaluations = 0;  ///< of the energy
    int linear_iterations = 0;
    double gradient = 0;  ///< |f| over |M g| at the end
    double floor = 0;     ///< what rounding leaves of it, where that ended the search; else 0
    double energy_start = 0, energy_end = 0;  ///< J
    double largest_rise = 0;  ///< of the energy in an accepted step, J: rounding at most

    bool ok() const {
        return status == EquilibriumStatus::converged || status == EquilibriumStatus::at_rounding;
    }
};

/// A minimum of the potential energy with the pins of the system's filter held, from `x` on.
///
/// A trust region: the step d minimises the model -f.d + d'K d/2 among those as long as itself, |d|_M, so that
/// (K + M/h^2) d = f. For large h it is Newton's step, for small h steepest descent in the metric of the masses:
/// there is descent from everywhere, slack cloth without stiffness included, and K may be indefinite, which the solver
/// notices. The region grows or shrinks by the ratio of the fall of the energy to the one of the model [ConnGouldToint00].
/// A step that falls short of a ten-thousandth is not thrown away but halved along its direction until the energy
/// falls by a fixed part of what its slope promises [NocedalYuan98], or, where the fall drowns in the rounding of the
/// energy, until the slope along it has not turned by as much (the approximate condition of [HagerZhang05]).
///
/// With `load_steps` n the weight first is 2^-n of itself and doubles from one rough equilibrium to the next: a
/// path along which a flat sheet folds where it gives way first and in few folds, as one that is let down
/// slowly. Under the whole weight at once it is far beyond its first thresholds, folds in many places, and
/// folds do not merge again.
///
/// With `contact` its barrier is part of the energy and steps end before they cross anything; the step of
/// the contact has begun, obstacles are where it ends, and friction is left to the caller to switch off: it has
/// no potential.
///
/// Loads without a potential (drag, pressure) must not be among the energies.
EquilibriumReport find_equilibrium(const World& world, ClothSystem& system, double t,
                                   const QuasistaticOptions& options, VecX& x,
                                   contact::PositionContact* contact = nullptr);

}  // namespace taffeta::sim

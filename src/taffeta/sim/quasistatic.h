#pragma once

#include <string>

#include "taffeta/sim/cloth_system.h"
#include "taffeta/sim/options.h"

namespace taffeta::sim {

enum class EquilibriumStatus {
    converged,
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
    int evaluations = 0;  ///< of the energy
    int linear_iterations = 0;
    double gradient = 0;                      ///< |f| over |M g| at the end
    double energy_start = 0, energy_end = 0;  ///< J
    double largest_rise = 0;  ///< of the energy in an accepted step, J: rounding at most

    bool ok() const { return status == EquilibriumStatus::converged; }
};

/// A minimum of the potential energy with the pins of the system's filter held, from `x` on.
///
/// Newton's method, damped as a trust region is: (K + M/h^2) d = f with the positive semidefinite K, which
/// for large h is Newton's step and for small h steepest descent in the metric of the masses, so that there
/// is a descent direction from everywhere, slack cloth without stiffness included. A step is taken
/// when the energy falls by a fixed part of what its slope promises (Armijo), or, where the fall drowns in
/// the rounding of the energy, when the slope along the step has not turned by as much (the approximate
/// condition of [HagerZhang05]); else it is halved. h grows fourfold after a full step and shrinks after
/// cut ones.
///
/// With `load_steps` n the weight first is 2^-n of itself and doubles from one rough equilibrium to the next: a
/// path along which a flat sheet folds where it gives way first and in few folds, as one that is let down
/// slowly. Under the whole weight at once it is far beyond its first thresholds, folds in many places, and
/// folds do not merge again.
///
/// Loads without a potential (drag, pressure) must not be among the energies.
EquilibriumReport find_equilibrium(const World& world, ClothSystem& system, double t,
                                   const QuasistaticOptions& options, VecX& x);

}  // namespace taffeta::sim

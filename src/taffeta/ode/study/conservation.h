#pragma once

#include "taffeta/ode/study/run.h"

/// What a method keeps of what the motion keeps: energy, momentum, angular momentum, and the
/// symplectic form.
namespace taffeta::ode::study {

/// Relative to the start, energies to |E(0)|, momenta to their own size; where that is 0 there is
/// nothing to be relative to, and numbers are in J, N s and N m s. NaN where the problem has none.
struct ConservationMeasurement {
    std::string method;
    bool energy_relative = true, momentum_relative = true, angular_momentum_relative = true;
    double h = 0;
    long steps = 0;                                                 ///< taken
    double lowest_energy = 0, highest_energy = 0, last_energy = 0;  ///< E/|E(0)|
    double energy_error = 0;            ///< of the last state, (E - E(0))/|E(0)|
    double momentum_error = 0;          ///< the largest on the way
    double angular_momentum_error = 0;  ///< the largest on the way
    bool ok = true;                     ///< ran to the end in finite numbers
    std::string message;
};

ConservationMeasurement measure_conservation(const ChosenMethod& method, Problem& problem, double h,
                                             long steps);

/// Of the flow of some steps on (x, M v): its Jacobian J by central differences.
struct Symplecticity {
    double determinant = 0;
    double defect = 0;  ///< the largest entry of J' W J - W, where W is the symplectic form
    bool ok = true;
};

/// For problems of up to some ten unknowns; the mass matrix is found from `solve_mass`.
Symplecticity measure_symplecticity(const ChosenMethod& method, Problem& problem, double h,
                                    int steps);

}  // namespace taffeta::ode::study

#pragma once

#include "taffeta/ode/study/problem.h"

namespace taffeta::ode::study {

/// The fast end of a system's spectrum at a state, by power iteration with its own products.
struct Spectrum {
    double stiffness = 0;  ///< the eigenvalue of M^-1 K of largest modulus, 1/s^2
    double damping = 0;    ///< the same of M^-1 D, 1/s

    /// sqrt |stiffness|, rad/s: what h w < 2 of the Verlet methods is about.
    double fastest_frequency() const;
    /// The largest |lambda| of x'' = -stiffness x - damping x' as a first-order system, 1/s.
    double fastest_rate() const;
    /// Of that vibration: 1 is critical. 0 without stiffness or without damping.
    double damping_ratio() const;
};

Spectrum measure_spectrum(Problem& problem, const State& state, int iterations = 400);

}  // namespace taffeta::ode::study

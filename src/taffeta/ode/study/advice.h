#pragma once

#include "taffeta/ode/study/run.h"
#include "taffeta/ode/study/spectrum.h"

namespace taffeta::ode::study {

/// A method at the largest step that met the tolerance.
struct Trial {
    std::string method;
    bool met = false;
    long steps = 0;
    double h = 0;
    double error = 0;  ///< the largest at the checks, relative to the largest state there
    double flops = 0;
    double steps_per_period = 0;  ///< of the motion itself
};

/// Which method to take, as [Hauth03] decides in figure 8, but by measuring: how stiff the problem
/// is, how strongly damped, how nonlinear, and what the candidates cost at the wanted precision.
struct Advice {
    Spectrum spectrum;           ///< at the start
    double motion_rate = 0;      ///< of what is to be seen, rms |a| / rms |v|, 1/s
    double stiffness_ratio = 0;  ///< fastest rate over that of the motion
    double nonlinearity = 0;     ///< the largest relative change of K and D along the motion
    double energy_loss = 0;      ///< of the exact motion to the end, relative; NaN: no energy
    std::vector<Trial> trials;
    std::string method;  ///< empty: no candidate met the tolerance
    double h = 0;
    std::vector<std::string> reasons;
};

/// `tolerance` is the relative error at four checks on the way, the end among them (one check alone
/// may meet the moment where an error passes through 0). `progress(done, total)` may stop it.
Advice advise(Problem& problem, double tolerance, const ChosenMethods& candidates,
              const std::function<bool(long, long)>& progress = {});

/// The candidates by default: one for each branch of the decision.
ChosenMethods advised_candidates();

}  // namespace taffeta::ode::study

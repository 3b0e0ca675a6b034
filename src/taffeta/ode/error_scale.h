#pragma once

#include "taffeta/ode/system.h"

/// What an error of a step is measured by where steps adapt to it: the root mean square over all x and v
/// of error/(absolute + relative |y|), which is 1 where the step just stands.
namespace taffeta::ode {

struct ErrorScale {
    double relative = 0;
    double position = 0;  ///< absolute, m
    double velocity = 0;  ///< absolute, m/s
    double run_length =
        0;  ///< > 0: the tolerance is for so long a run, s, of which a step has its share

    /// Whether there is a tolerance at all.
    explicit operator bool() const { return relative > 0 || (position > 0 && velocity > 0); }

    /// |y| is the larger one of two states.
    double norm(const VecX& error_x, const VecX& error_v, const State& begin,
                const State& end) const;
    /// Of the errors c_x u and c_v u at (x, v).
    double norm(double c_x, double c_v, const VecX& u, const VecX& x, const VecX& v) const;
    /// What a norm is to be multiplied by in a step of h.
    double per_step(double h) const { return run_length > 0 ? run_length / h : 1; }
};

}  // namespace taffeta::ode

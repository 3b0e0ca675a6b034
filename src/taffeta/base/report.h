#pragma once

#include <string>

/// What a solve tells its caller. A failure is never reported as success.
namespace taffeta {

enum class SolveStatus {
    converged,
    max_iterations,  ///< best iterate kept
    indefinite,      ///< p'Ap <= 0 or a non-positive pivot
    not_finite,      ///< NaN or Inf in the input or on the way
    breakdown,       ///< the preconditioner is not SPD, or the recurrence stalled
    bad_filter,      ///< z outside range(I - S), or S not a projector
    singular,        ///< a zero pivot or a singular diagonal block
    bad_size,        ///< sizes of A, S, b or x disagree
};

const char* to_string(SolveStatus status);

struct SolveReport {
    SolveStatus status = SolveStatus::converged;
    int iterations = 0;
    double residual = 0;  ///< final over initial norm, in the norm that the solver stops on
    std::string message;  ///< a sentence with the numbers; empty when converged
    double setup_seconds = 0;
    double solve_seconds = 0;
    double prefilter_seconds = 0;  ///< of solve_seconds: making S (b - A z)

    bool ok() const { return status == SolveStatus::converged; }
};

}  // namespace taffeta

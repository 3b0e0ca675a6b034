#include "taffeta/base/report.h"

namespace taffeta {

const char* to_string(SolveStatus status) {
    switch (status) {
        case SolveStatus::converged:
            return "converged";
        case SolveStatus::max_iterations:
            return "max_iterations";
        case SolveStatus::indefinite:
            return "indefinite";
        case SolveStatus::not_finite:
            return "not_finite";
        case SolveStatus::breakdown:
            return "breakdown";
        case SolveStatus::bad_filter:
            return "bad_filter";
        case SolveStatus::singular:
            return "singular";
        case SolveStatus::bad_size:
            return "bad_size";
    }
    return "?";
}

}  // namespace taffeta

#pragma once

#include "taffeta/ode/study/run.h"

/// Work against precision: what an error costs, in force evaluations, in operations and in seconds.
/// [Hauth03] figures 3, 5 and 7.
namespace taffeta::ode::study {

struct WorkPoint {
    std::string method;
    long steps = 0;
    double h = 0;
    double error = 0;  ///< of the end state, relative to the size of the exact one
    Counts counts;
    double flops = 0;    ///< by the problem's model, see `Cost` and `Counts::flops`
    double seconds = 0;  ///< median of the repeated runs
    bool ok = true;      ///< ran to the end in finite numbers
    std::string message;
};

struct WorkOptions {
    std::vector<long> steps;
    int repeats = 5;
    NewtonOptions newton{.max_iterations = 50, .tolerance = 1e-10};
};

/// Every method with every number of steps, methods outermost. Repeats go round by round over all of
/// them, so that a change of the machine's mood meets all alike; a run too short for the clock is
/// repeated within its round. `progress(done, total)` is called between runs and may stop the work
/// by returning false.
std::vector<WorkPoint> measure_work(Problem& problem, const State& exact,
                                    const ChosenMethods& methods, const WorkOptions& options,
                                    const std::function<bool(long, long)>& progress = {});

}  // namespace taffeta::ode::study

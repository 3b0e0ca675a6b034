#include "taffeta/solve/direct/direct_solver.h"
#include "taffeta/solve/direct/simplicial_factors.h"

namespace taffeta::solve {

extern const SolverEntry entry_ldlt;
constinit const SolverEntry entry_ldlt{
    .key = "ldlt",
    .doc = "direct: sparse L D L' of the prefiltered matrix, for small systems and as a reference",
    .properties = {.direct = true, .preconditioned = false, .coupled = true},
    .fields = [] { return field_table<DirectOptions>(); },
    .make = [](const Settings& settings) -> std::unique_ptr<LinearSolver> {
        return std::make_unique<DirectSolver>(std::make_unique<SimplicialFactors>(),
                                              read_options<DirectOptions>(settings).ordering);
    }};

}  // namespace taffeta::solve

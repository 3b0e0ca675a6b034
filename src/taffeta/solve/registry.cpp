#include "taffeta/base/registry.h"

#include <fmt/format.h>

#include "taffeta/base/error.h"
#include "taffeta/solve/linear_solver.h"

namespace taffeta::solve {

#define TAFFETA_ENTRY(key) extern const PreconditionerEntry entry_##key;
#include "taffeta/solve/preconditioners.inc"
#undef TAFFETA_ENTRY

#define TAFFETA_ENTRY(key) extern const SolverEntry entry_##key;
#include "taffeta/solve/solvers.inc"
#undef TAFFETA_ENTRY

Registry<PreconditionerEntry> preconditioners() {
#define TAFFETA_ENTRY(key) &entry_##key,
    static constexpr const PreconditionerEntry* table[] = {
#include "taffeta/solve/preconditioners.inc"
    };
#undef TAFFETA_ENTRY
    return table;
}

Registry<SolverEntry> linear_solvers() {
#define TAFFETA_ENTRY(key) &entry_##key,
    static constexpr const SolverEntry* table[] = {
#include "taffeta/solve/solvers.inc"
    };
#undef TAFFETA_ENTRY
    return table;
}

void LinearSolver::set_constraints(const GeneralConstraints& constraints) {
    if (constraints.basis)
        fail_input("solver", "this solver takes no constraints across vertices",
                   "use prefiltered_pcg or a direct solver");
}

Unavailable unavailable(const SolverEntry& entry) {
    return entry.properties.unavailable ? entry.properties.unavailable() : Unavailable{};
}

void require_available(const SolverEntry& entry, const Settings& settings) {
    const Unavailable lack = unavailable(entry);
    if (lack)
        settings.fail(fmt::format("the solver '{}' is unavailable: {}", entry.key, lack.why),
                      lack.remedy);
}

std::unique_ptr<LinearSolver> make_linear_solver(const Settings& settings) {
    return make_entry(linear_solvers(), "solver", settings, "prefiltered_pcg");
}

}  // namespace taffeta::solve

#include "taffeta/ode/study/problem.h"

#include <cmath>

namespace taffeta::ode::study {

#define TAFFETA_ENTRY(name) extern const ProblemEntry entry_##name;
#include "taffeta/ode/study/problems.inc"
#undef TAFFETA_ENTRY

Registry<ProblemEntry> problems() {
    static constexpr const ProblemEntry* table[] = {
#define TAFFETA_ENTRY(name) &entry_##name,
#include "taffeta/ode/study/problems.inc"
#undef TAFFETA_ENTRY
    };
    return table;
}

std::unique_ptr<Problem> make_problem(const std::string& key, const Settings& options) {
    const ProblemEntry& entry = find_entry(problems(), "problem", key);
    auto problem = entry.make(options);
    problem->key = key;
    problem->first_order = entry.properties.first_order;
    problem->damped = entry.properties.damped;
    return problem;
}

double Problem::distance(const State& a, const State& b) const {
    return first_order ? (a.v - b.v).norm() : std::hypot((a.x - b.x).norm(), (a.v - b.v).norm());
}

double Problem::size(const State& state) const {
    return first_order ? state.v.norm() : std::hypot(state.x.norm(), state.v.norm());
}

}  // namespace taffeta::ode::study

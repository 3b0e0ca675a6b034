#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "progress_line.h"
#include "table.h"
#include "taffeta/ode/integrator.h"
#include "taffeta/ode/study/problem.h"

/// What the subcommands of `taffeta ode` share. Each is one file with `add_ode_<name>`.
namespace taffeta::app {

using Methods = std::vector<const ode::IntegratorEntry*>;

/// Where the results go besides the terminal.
struct Outputs {
    std::string csv, json, plot;

    void add_to(Command& command, bool with_plot = true);
    void check() const;  ///< throws before the work what writing would throw after it
    void write(const Table& table) const;
};

/// The problems of the study, and `cloth_sheet`, which needs the layers above it.
const std::vector<const ode::study::ProblemEntry*>& laboratory_problems();

/// The problem of that key with `key=value` assignments; both are checked, with the nearest name.
std::unique_ptr<ode::study::Problem> laboratory_problem(
    const std::string& key, const std::vector<std::string>& assignments = {});

/// The integrators of those keys, where `all`, `explicit` and `implicit` stand for every such one;
/// `fallback` where none is given.
Methods laboratory_methods(const std::vector<std::string>& keys,
                           const std::vector<std::string>& fallback);

/// At most so many points, the first and the last among them: plots need no more.
template <class T>
std::vector<T> thinned(const std::vector<T>& values, std::size_t most = 500) {
    if (values.size() <= most) return values;
    std::vector<T> few;
    for (std::size_t i = 0; i < most; ++i)
        few.push_back(values[i * (values.size() - 1) / (most - 1)]);
    return few;
}

void add_ode_list(Command& ode, int& exit_status);
void add_ode_solve(Command& ode, int& exit_status);
void add_ode_order(Command& ode, int& exit_status);
void add_ode_stability(Command& ode, int& exit_status);
void add_ode_energy(Command& ode, int& exit_status);
void add_ode_work_precision(Command& ode, int& exit_status);
void add_ode_advise(Command& ode, int& exit_status);
void add_ode_peers(Command& ode, int& exit_status);

}  // namespace taffeta::app

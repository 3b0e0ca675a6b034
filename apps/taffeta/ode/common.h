#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command_line.h"
#include "commands.h"
#include "progress_line.h"
#include "table.h"
#include "taffeta/ode/study/chosen_method.h"
#include "taffeta/ode/study/problem.h"

/// What the subcommands of `taffeta ode` share. Each is one file with `add_ode_<name>`.
namespace taffeta::app {

using Methods = ode::study::ChosenMethods;

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

/// What `--help` says about the words of `laboratory_methods`.
inline constexpr const char* method_words =
    "integrators, with options as in newmark:beta=1/6,gamma=1/2";

/// Methods by words, separate or with commas between them; `fallback` where there are none:
///
///     rk4                                       an integrator with its default options
///     newmark:beta=1/6,gamma=1/2                with others: values as in `--set`, or fractions
///     bdf2:newton.type=simplified               Newton's iteration too
///     {"type": "newmark", "beta": 0.25}         the same as JSON, `newton` being an object
///     all, explicit, implicit                   every such one that is not for springs alone
///     springs                                   those for springs alone
///     variants                                  one-parameter families at their named values
///
/// A piece `option=value` belongs to the method before it. The label of a method is its text. Throws bad
/// input for an unknown integrator, option or value.
Methods laboratory_methods(const std::vector<std::string>& words,
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

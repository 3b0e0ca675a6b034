#pragma once

#include <string>
#include <vector>

#include "taffeta/base/settings.h"

namespace taffeta::app {

/// The settings of a solver by its name in a table of `taffeta bench`: `diag`, `paper2015`, the key
/// of a preconditioner or of a direct solver, or a preconditioner as JSON.
Settings solver_by_name(const std::string& name);

/// Names between commas; between semicolons where there are JSON objects.
std::vector<std::string> split_names(const std::string& list);

}  // namespace taffeta::app

#pragma once

#include "command_line.h"

namespace taffeta::app {

/// `taffeta bench solvers`: our solvers and those of others on the same systems.
void add_bench_solvers(Command bench);

}  // namespace taffeta::app

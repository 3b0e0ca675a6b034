#pragma once

#include "command_line.h"

namespace taffeta::app {

/// `taffeta bench physics`: the cases of physics/cases.inc, published and measured values side by side.
void add_bench_physics(Command bench, int& exit_status);

}  // namespace taffeta::app

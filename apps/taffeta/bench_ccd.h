#pragma once

#include "command_line.h"

namespace taffeta::app {

/// `taffeta bench ccd`: answers and times of continuous collision detection on labelled queries.
void add_bench_ccd(Command bench);

}  // namespace taffeta::app

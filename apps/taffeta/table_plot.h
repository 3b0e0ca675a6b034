#pragma once

#include "plot.h"
#include "taffeta/base/settings.h"

namespace taffeta::app {

/// The records of `taffeta bench table1` as pictures in the manner of [TJM15] figures 5 to 8, a row a
/// scene: time of a solve and iterations over the number of vertices, both axes logarithmic, and the
/// parts of the solves of the largest mesh, prefiltering and set-up and iterations.
plot::Figure table_figure(const Settings& records);

}  // namespace taffeta::app

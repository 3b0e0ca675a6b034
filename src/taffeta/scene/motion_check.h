#pragma once

#include <functional>

#include "taffeta/sim/options.h"

namespace taffeta::scene {

/// Largest distance that a point is carried within one step of the clock, m; `position(t)` says
/// where it is. Very long runs are looked at in 20,000 of their steps.
double largest_step(const std::function<Vec3(double)>& position, const sim::TimeOptions& time);

}  // namespace taffeta::scene

#pragma once

#include "taffeta/sim/world.h"

namespace taffeta::sim {

/// Where a pin holds vertex `vertex` at time t.
Vec3 pin_target(const World& world, const Pin& pin, Index vertex, double t);

/// Fixes every pinned vertex and sets the end-of-step velocity that brings it to its target,
/// (target(t+h) - x(t)) / h; marks it in `pinned` (1). Pins past their release time do nothing.
void apply_pins(const World& world, double h, sparse::NodeFilter& filter,
                std::vector<char>& pinned);

}  // namespace taffeta::sim

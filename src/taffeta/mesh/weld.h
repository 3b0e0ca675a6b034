#pragma once

#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::mesh {

/// For every point the earliest kept point within `tolerance` (m) of it, or itself. Points are kept
/// in order, so kept ones are further apart than the tolerance; linear time by a hash of cells of
/// two tolerances, also when all points coincide (only kept points enter the cells).
std::vector<Index> weld_map(const std::vector<Vec3>& position, double tolerance);

}  // namespace taffeta::mesh

#pragma once

#include "taffeta/scene/build.h"

namespace taffeta::scene {

/// Adds the obstacles of a scene to its world. Warns of those that move far in a step, that are
/// rougher than any cloth, and that hold vertices at the start.
void add_obstacles(const Scene& scene, BuiltScene& built);

}  // namespace taffeta::scene

#pragma once

#include <string>

#include "taffeta/base/settings.h"

namespace taffeta::scene {

/// Applies `--set solver.tolerance=1e-8` to a scene before it is read. The value is JSON, or, where
/// it is none, a bare string (`bodies[0].material=paper`). Objects on the way are made when
/// missing, a choice by name (`"solver": "direct"`) becomes an object with that type; an index
/// right behind the end of an array appends. Misspelt keys are found when the scene is read: their
/// place is then the override.
void apply_override(Settings& scene, const std::string& assignment);
/// The same, with another place than `--set ...` for messages and as the location of the value.
void apply_override(Settings& scene, const std::string& assignment, const std::string& place);

}  // namespace taffeta::scene

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "taffeta/scene/scene_description.h"

namespace taffeta::scene {

/// Reads a scene: a file, or a built-in scene when no file has that name. `overrides` are
/// `key=value` (overrides.h), applied in order before reading. Throws bad input for anything wrong,
/// with the nearest name for a scene that does not exist.
Scene load_scene(const std::string& name, const std::vector<std::string>& overrides = {},
                 bool allow_outside = false);

/// The same from settings that are no file, such as a built-in scene; `folder` is where the files are
/// that they name.
Scene load_settings(Settings settings, const std::vector<std::string>& overrides = {},
                    const std::filesystem::path& folder = {}, bool allow_outside = false);

}  // namespace taffeta::scene

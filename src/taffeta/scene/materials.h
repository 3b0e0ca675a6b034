#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taffeta/base/settings.h"

/// The built-in fabrics.
namespace taffeta::scene {

struct Preset {
    std::string name, source;
    Settings settings;  ///< a material of a scene: density, membrane, bending
};

const std::vector<Preset>& presets();
std::vector<std::string> preset_names();
/// nullptr when there is none of that name.
const Preset* find_preset(const std::string& name);

}  // namespace taffeta::scene

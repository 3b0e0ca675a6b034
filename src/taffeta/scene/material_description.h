#pragma once

#include <string>

#include "taffeta/scene/choice.h"

namespace taffeta::scene {

/// A fabric, or what a soft body is made of: its mass and its laws. A preset gives all; what is stated beside it overrides.
struct MaterialDescription {
    std::string preset;
    std::string arcsim;     ///< read and replaced by its numbers when a scene is loaded
    std::string source;     ///< where the numbers come from
    double density = 0.15;  ///< kg/m^2; of a soft body kg/m^3
    Choice<Family::membrane> membrane;
    Choice<Family::bending> bending;
    Choice<Family::solid> solid;
    Choice<Family::limit> limit;

    static Fields<MaterialDescription> fields();
};

/// A scene's `materials` with the preset of each written out below what the scene states:
/// `{"preset": "denim", "density": 0.4}` gains membrane and bending. Throws for unknown presets and
/// for materials that leave something open.
Settings with_presets(const Settings& materials);

/// The same for one material and a complete one that stands in for the preset.
Settings over_material(const Settings& base, const Settings& material, const std::string& name);

}  // namespace taffeta::scene

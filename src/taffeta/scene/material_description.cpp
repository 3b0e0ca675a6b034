#include "taffeta/scene/material_description.h"

#include <fmt/format.h>

#include "taffeta/scene/materials.h"

namespace taffeta::scene {

using Kind = Settings::Kind;

Fields<MaterialDescription> MaterialDescription::fields() {
    return {
        {"preset", &MaterialDescription::preset,
         "a built-in fabric (`taffeta list material`); what is stated beside it overrides it. "
         "Absent where the name is that of a built-in fabric and keys are missing: that fabric"},
        {"arcsim", &MaterialDescription::arcsim,
         "a fabric in a file of ARCSim, relative to the scene: its whole table of stretch (law "
         "`measured`, or its tangent for `baraff_witkin`) and its mean bending; what is stated "
         "beside it "
         "overrides it"},
        {"source", &MaterialDescription::source, "where the numbers come from"},
        {"density", &MaterialDescription::density,
         "mass per area, kg/m^2; of a soft body per volume, kg/m^3", positive()},
        {"membrane", &MaterialDescription::membrane, "in-plane law"},
        {"bending", &MaterialDescription::bending, "bending law"},
        {"limit", &MaterialDescription::limit,
         "of the stretch of a fabric: a stiffness beyond it, or bounds kept after each step; "
         "absent: none"},
        {"solid", &MaterialDescription::solid,
         "law of a soft body, instead of membrane and bending"},
    };
}

namespace {

/// The options of a law over those of the preset. A law of another type takes over the options of
/// the preset that it has too (the stiffnesses of a hinge for a plate).
Settings merged_law(Family family, const Settings& preset, const Settings& given) {
    Settings merged = preset;
    merged.set_location(given.location());
    merged.set_path(given.path());
    const Settings* type = given.is(Kind::string) ? &given : given.find("type");
    if (type && type->string() != preset.find("type")->string()) {
        merged = Settings::object();
        merged.set_location(given.location());
        merged.set_path(given.path());
        for (const ChoiceEntry& entry : family_entries(family)) {
            if (entry.key != type->string()) continue;
            for (const FieldInfo& field : entry.fields())
                if (const Settings* shared = preset.find(field.key)) merged[field.key] = *shared;
        }
    }
    // A plate has a twist for the bias of a hinge: D33 = B_45 - (D11 + D22)/4 for D12 = 0.
    const Settings* bias = preset.find("bias");
    if (merged.find("warp") && !merged.find("bias") && bias && bias->is(Kind::number))
        merged["twist"] = Settings::of(std::max(
            0.0, bias->number() - (merged["warp"].number() + merged["weft"].number()) / 4));
    if (type) merged["type"] = *type;
    for (const auto& [key, value] : given.members())
        merged[key] = value;
    return given.is(Kind::object) || given.is(Kind::string) ? merged : given;
}

Settings with_preset(const Settings& material, const std::string& key) {
    const Settings* name = material.find("preset");
    if (!material.is(Kind::object) || (name && !name->is(Kind::string))) return material;
    if (const Settings* arcsim = material.find("arcsim");
        arcsim && !(arcsim->is(Kind::string) && arcsim->string().empty()))
        arcsim->fail("files of ARCSim are read when a scene is loaded from a file",
                     "scene::load_scene or load_settings with a folder");
    if (!name || name->string().empty()) {
        const bool solid = material.find("solid") != nullptr;
        for (const char* needed : {"density", "membrane", "bending"}) {
            if (material.find(needed) || (solid && std::string_view(needed) != "density")) continue;
            // Some keys under the name of a built-in fabric change that fabric; a soft body is none.
            if (const Preset* own = solid ? nullptr : find_preset(key))
                return over_material(own->settings, material, key);
            material.fail(fmt::format("missing key '{}'", needed),
                          "or start from a `preset` (`taffeta list material`)");
        }
        return material;
    }
    const Preset* preset = find_preset(name->string());
    if (!preset) {
        const std::string near = nearest(name->string(), preset_names());
        name->fail(
            fmt::format("unknown preset '{}'", escaped(name->string())),
            near.empty() ? "see `taffeta list material`" : fmt::format("did you mean '{}'?", near));
    }
    return over_material(preset->settings, material, key);
}

}  // namespace

Settings over_material(const Settings& base, const Settings& material, const std::string& name) {
    Settings complete = base;
    complete.set_location(material.location());
    complete.set_path(material.path().empty() ? "materials." + name : material.path());
    for (const auto& [option, value] : material.members()) {
        if (option == "membrane" || option == "bending") {
            const Family family = option == "membrane" ? Family::membrane : Family::bending;
            complete[option] = merged_law(family, *base.find(option), value);
        } else {
            complete[option] = value;
        }
    }
    return complete;
}

Settings with_presets(const Settings& materials) {
    Settings complete = materials;
    for (auto& [name, material] : complete.members())
        material = with_preset(material, name);
    return complete;
}

}  // namespace taffeta::scene

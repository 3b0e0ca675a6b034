#include "taffeta/scene/load.h"

#include <fmt/format.h>

#include "taffeta/scene/arcsim_material.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/files.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/overrides.h"

namespace taffeta::scene {

namespace {

/// A name without folder and extension can only be meant as a built-in scene.
bool looks_built_in(const std::string& name) {
    return name.find_first_of("./\\") == std::string::npos;
}

[[noreturn]] void fail_unknown_scene(const std::string& name) {
    const std::string near = nearest(name, builtin_names());
    fail_input(escaped(name), "is neither a file nor a built-in scene",
               near.empty() ? "see `taffeta list scene`" : fmt::format("did you mean '{}'?", near));
}

/// Materials that name a file of ARCSim, with its numbers instead.
void read_arcsim_materials(Settings& settings, const ReferenceRules& rules) {
    if (!settings.is(Settings::Kind::object) || !settings.find("materials")) return;
    for (auto& [name, material] : settings["materials"].members()) {
        const Settings* file = material.find("arcsim");
        if (!file || !file->is(Settings::Kind::string) || file->string().empty()) continue;
        if (material.find("preset"))
            file->fail("is given beside a preset", "one of both says what the fabric is");
        std::string membrane;
        if (const Settings* law = material.find("membrane")) {
            const Settings* type = law->is(Settings::Kind::string) ? law : law->find("type");
            if (type && type->is(Settings::Kind::string)) membrane = type->string();
        }
        const std::string path = "materials." + name + ".arcsim";
        const Settings base = arcsim_material(
            resolve_reference(file->string(), rules, file->location().text(), path), membrane);
        Settings merged = over_material(base, material, name);
        std::erase_if(merged.members(),
                      [](const auto& member) { return member.first == "arcsim"; });
        material = std::move(merged);
    }
}

}  // namespace

Scene load_settings(Settings settings, const std::vector<std::string>& overrides,
                    const std::filesystem::path& folder, bool allow_outside) {
    for (const std::string& assignment : overrides)
        apply_override(settings, assignment);
    read_arcsim_materials(settings, {folder, allow_outside});
    return read_scene(settings);
}

Scene load_scene(const std::string& name, const std::vector<std::string>& overrides,
                 bool allow_outside) {
    std::error_code ignored;
    if (looks_built_in(name) && !std::filesystem::exists(name, ignored)) {
        if (!is_builtin(name)) fail_unknown_scene(name);
        return load_settings(builtin_scene(name, {}).settings, overrides);
    }
    const std::string text = read_regular_file(name, JsonLimits().bytes);
    const std::filesystem::path folder = std::filesystem::path(name).parent_path();
    Scene scene = load_settings(parse_json(text, escaped(name)), overrides, folder, allow_outside);
    scene.folder = folder;
    scene.allow_outside = allow_outside;
    if (scene.description.name.empty())
        scene.description.name = std::filesystem::path(name).stem().string();
    return scene;
}

}  // namespace taffeta::scene

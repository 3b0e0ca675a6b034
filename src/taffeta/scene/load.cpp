#include "taffeta/scene/load.h"

#include <fmt/format.h>

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

}  // namespace

Scene load_settings(Settings settings, const std::vector<std::string>& overrides) {
    for (const std::string& assignment : overrides)
        apply_override(settings, assignment);
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
    Scene scene = load_settings(parse_json(text, escaped(name)), overrides);
    scene.folder = std::filesystem::path(name).parent_path();
    scene.allow_outside = allow_outside;
    if (scene.description.name.empty())
        scene.description.name = std::filesystem::path(name).stem().string();
    return scene;
}

}  // namespace taffeta::scene

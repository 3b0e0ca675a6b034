#include "taffeta/scene/builtin.h"

#include <fmt/format.h>

#include <array>

#include "taffeta/scene/builtin/builtin_entry.h"
#include "taffeta/scene/json.h"

namespace taffeta::scene {

#define TAFFETA_ENTRY(name) extern const BuiltinEntry builtin_##name;
#include "taffeta/scene/builtin/scenes.inc"
#undef TAFFETA_ENTRY

namespace {

constexpr auto builtin_entries = std::to_array<const BuiltinEntry*>({
#define TAFFETA_ENTRY(name) &builtin_##name,
#include "taffeta/scene/builtin/scenes.inc"
#undef TAFFETA_ENTRY
});

const BuiltinEntry* find_builtin(const std::string& name) {
    for (const BuiltinEntry* entry : builtin_entries)
        if (name == entry->key) return entry;
    return nullptr;
}

constexpr int most_vertices = 4'000'000;

}  // namespace

const std::vector<std::string>& builtin_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const BuiltinEntry* entry : builtin_entries)
            found.emplace_back(entry->key);
        return found;
    }();
    return names;
}

bool is_builtin(const std::string& name) {
    return find_builtin(name) != nullptr;
}

std::string builtin_doc(const std::string& name) {
    const BuiltinEntry* builtin = find_builtin(name);
    return builtin ? builtin->doc : "";
}

BuiltinScene builtin_scene(const std::string& name, const BuiltinOptions& options) {
    const BuiltinEntry* builtin = find_builtin(name);
    if (!builtin) {
        const std::string near = nearest(name, builtin_names());
        fail_input(
            escaped(name), "is no built-in scene",
            near.empty() ? "see `taffeta list scene`" : fmt::format("did you mean '{}'?", near));
    }
    if (options.vertices < 0 || options.vertices > most_vertices)
        fail_input(name, fmt::format("{} vertices", options.vertices),
                   fmt::format("from 4 to {}", most_vertices));
    BuiltinScene made;
    made.settings = parse_json(builtin->text, "built-in scene " + name);
    made.vertices = builtin->resize(made.settings, options.vertices);
    if (builtin->tessellate && !options.tessellation.empty())
        builtin->tessellate(made.settings, options.tessellation);
    return made;
}

}  // namespace taffeta::scene

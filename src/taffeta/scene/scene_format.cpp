#include <fmt/format.h>

#include <cctype>
#include <iterator>

#include "taffeta/scene/builtin.h"
#include "taffeta/scene/choice.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/materials.h"
#include "taffeta/scene/scene_description.h"
#include "taffeta/scene/schema.h"

namespace taffeta::scene {

namespace {

constexpr const char* introduction = R"(# The scene format

<!-- Made by `taffeta schema --markdown`; edit the field tables in `src/`, not this file. -->

A scene is one JSON file. `//` and `/* */` comments are allowed, trailing commas are not. All numbers
are in SI units: metres, kilograms, seconds, newtons. An unknown key is an error that names the
nearest known one, with its line and column. `taffeta check SCENE` reads a scene and its meshes
without running it; `taffeta schema` prints a JSON Schema for your editor; `taffeta scene NAME`
prints a built-in scene to start from.

Files are named relative to the scene and must lie in its folder; `--allow-outside` lifts that.
Every value can be set on the command line: `--set solver.tolerance=1e-8`,
`--set bodies[0].material=paper`.

A *choice* is the name of one of the entries listed for it, or an object whose `type` is that name
and whose other keys are the options of the entry.

)";

std::string type_text(const FieldInfo& info) {
    if (info.type == "choice") return fmt::format("choice: [{0}](#{0})", info.item_type);
    if (info.type == "array") {
        const std::string items = info.item_type == "integer" ? "integers" : info.item_type + "s";
        return info.fixed_size > 0 ? fmt::format("{} {}", info.fixed_size, items)
                                   : "list of " + items;
    }
    if (info.type == "map") return "object by name";
    return info.type;
}

std::string default_text(const FieldInfo& info) {
    const Settings& initial = info.initial;
    if (info.range.required) return "required";
    if (info.nullable || initial.is(Settings::Kind::null)) return "absent";
    if (info.type == "choice") {
        const Settings* type = initial.find("type");
        return type ? fmt::format("`{}`", type->string()) : "absent";
    }
    if (info.type == "object" || info.type == "map") return "";
    if (initial.is(Settings::Kind::string) && initial.string().empty()) return "";
    return "`" + write_json(initial, 2) + "`";
}

/// A doc line as a sentence.
std::string sentence(std::string text) {
    if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
    return text + ".";
}

std::string for_table(std::string text) {
    for (std::size_t i = text.find('|'); i != std::string::npos; i = text.find('|', i + 2))
        text.insert(i, "\\");
    return text;
}

void write_table(std::string& out, const FieldTable& table) {
    if (table.empty()) {
        out += "No options.\n\n";
        return;
    }
    out += "| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const FieldInfo& info : table) {
        std::vector<std::string> allowed = info.range.choices;
        std::erase(allowed, "");
        const std::string range =
            allowed.empty() ? info.range.text() : fmt::format("one of {}", joined(allowed));
        const std::string type = type_text(info) + (range.empty() ? "" : ", " + range);
        out += fmt::format("| `{}` | {} | {} | {} |\n", info.key, for_table(type),
                           for_table(default_text(info)), for_table(info.doc));
    }
    out += "\n";
}

/// The table of an object, then those of the objects in it.
void write_objects(std::string& out, const FieldTable& table, const std::string& path, int level) {
    write_table(out, table);
    for (const FieldInfo& info : table) {
        if (!info.members) continue;
        std::string inner = path.empty() ? info.key : path + "." + info.key;
        if (info.type == "array") inner += "[]";
        if (info.type == "map") inner += ".*";
        out += fmt::format("{} {}\n\n{}\n\n", std::string(std::size_t(std::min(level, 4)), '#'),
                           inner, sentence(info.doc));
        write_objects(out, info.members(), inner, level + 1);
    }
}

}  // namespace

std::string scene_format_markdown() {
    std::string out = introduction;
    out += "## The scene\n\n";
    write_objects(out, field_table<SceneDescription>(), "", 3);
    out += "## Choices\n\n";
    for (const Family family : scene_families()) {
        const std::string fallback = family_fallback(family);
        out += fmt::format("### {}\n\n", family_name(family));
        if (!fallback.empty()) out += fmt::format("Default: `{}`.\n\n", fallback);
        for (const ChoiceEntry& entry : family_entries(family)) {
            out += fmt::format("#### `{}`\n\n{}\n\n", entry.key, sentence(entry.doc));
            write_objects(out, entry.fields(), entry.key, 5);
        }
    }
    out += "## Fabrics\n\n`preset` of a material, or `material` of a body.\n\n";
    out += "| name | source |\n|---|---|\n";
    for (const Preset& preset : presets())
        out += fmt::format("| `{}` | {} |\n", preset.name, preset.source);
    out += "\n## Built-in scenes\n\n| name | scene |\n|---|---|\n";
    for (const std::string& name : builtin_names())
        out += fmt::format("| `{}` | {} |\n", name, builtin_doc(name));
    return out;
}

}  // namespace taffeta::scene

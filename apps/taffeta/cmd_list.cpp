#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "taffeta/base/registry.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/choice.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/materials.h"

namespace taffeta::app {

namespace {

struct Line {
    std::string key, doc;
};

struct Section {
    std::string kind;
    std::vector<Line> lines;
};

std::string described(scene::Family family, const scene::ChoiceEntry& entry) {
    const std::string lack = scene::lack_of(family, entry.key);
    return lack.empty() ? entry.doc : fmt::format("{} (unavailable: {})", entry.doc, lack);
}

std::vector<Section> all_sections() {
    std::vector<Section> sections;
    Section scenes{"scene", {}}, materials{"material", {}};
    for (const std::string& name : scene::builtin_names())
        scenes.lines.push_back({name, scene::builtin_doc(name)});
    for (const scene::Preset& preset : scene::presets())
        materials.lines.push_back({preset.name, preset.source});
    sections.push_back(std::move(scenes));
    sections.push_back(std::move(materials));
    for (const scene::Family family : scene::all_families()) {
        Section section{scene::family_name(family), {}};
        for (const scene::ChoiceEntry& entry : scene::family_entries(family))
            section.lines.push_back({entry.key, described(family, entry)});
        sections.push_back(std::move(section));
    }
    return sections;
}

std::vector<Section> chosen_sections(const std::string& kind) {
    std::vector<Section> sections = all_sections();
    if (kind.empty()) return sections;
    std::vector<std::string> known;
    for (Section& section : sections) {
        if (section.kind == kind || section.kind + "s" == kind) return {section};
        known.push_back(section.kind);
    }
    fail_unknown_entry({}, "kind", kind, known);
}

void print_text(const std::vector<Section>& sections) {
    for (const Section& section : sections) {
        fmt::print("{}\n", section.kind);
        std::size_t width = 0;
        for (const Line& line : section.lines)
            width = std::max(width, line.key.size());
        for (const Line& line : section.lines)
            fmt::print("  {:<{}}  {}\n", line.key, width, line.doc);
    }
}

void print_json(const std::vector<Section>& sections) {
    Settings all = Settings::object();
    for (const Section& section : sections) {
        Settings& entries = all[section.kind] = Settings::object();
        for (const Line& line : section.lines)
            entries[line.key] = Settings::of(line.doc);
    }
    fmt::print("{}\n", scene::write_json(all));
}

}  // namespace

void add_list_command(Command app, int&) {
    Command command =
        app.subcommand("list", "list scenes, fabrics and everything that can be chosen by name");
    struct Arguments {
        std::string kind;
        bool json = false;
    };
    const auto arguments = std::make_shared<Arguments>();
    command.option("kind", arguments->kind,
                   "scene, material, integrator, solver, preconditioner, contact, membrane, "
                   "bending, solid, limit, air, obstacle, format, tets or sink");
    command.flag("--json", arguments->json, "as JSON");
    command.footer("Example:  taffeta list preconditioner");
    command.action([arguments] {
        const std::vector<Section> sections = chosen_sections(arguments->kind);
        if (arguments->json)
            print_json(sections);
        else
            print_text(sections);
    });
}

}  // namespace taffeta::app

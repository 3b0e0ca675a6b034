#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "commands.h"
#include "taffeta/scene/builtin.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/load.h"
#include "taffeta/scene/overrides.h"

namespace taffeta::app {

namespace {

struct SceneArguments {
    std::string name;
    scene::BuiltinOptions options;
    std::vector<std::string> overrides;
    bool full = false;
};

void print_scene(const SceneArguments& arguments) {
    const scene::BuiltinScene made = scene::builtin_scene(arguments.name, arguments.options);
    if (arguments.options.vertices > 0 && made.vertices != arguments.options.vertices)
        fmt::print(stderr, "note: {} vertices, the possible number nearest to {}\n", made.vertices,
                   arguments.options.vertices);
    Settings settings = made.settings;
    const scene::Scene read = scene::load_settings(settings, arguments.overrides);
    for (const std::string& assignment : arguments.overrides)
        scene::apply_override(settings, assignment);
    if (arguments.full) settings = scene::write_scene(read.description);
    fmt::print("{}\n", scene::write_json(settings));
}

}  // namespace

void add_scene_command(Command app, int&) {
    Command command = app.subcommand("scene", "print a built-in scene");
    const auto arguments = std::make_shared<SceneArguments>();
    command.option("name", arguments->name, "see `taffeta list scene`").required();
    command
        .option("--vertices", arguments->options.vertices, "about how many vertices the cloth has")
        .within(4, 4000000);
    command
        .option("--tessellation", arguments->options.tessellation,
                "regular, alternating or irregular")
        .one_of({"regular", "alternating", "irregular"});
    command.option("--set", arguments->overrides, "key=value, as for `taffeta run`").repeatable();
    command.flag("--full", arguments->full, "write out all defaults");
    command.footer("Example:  taffeta scene drooping --vertices 10201 > drooping.json");
    command.action([arguments] { print_scene(*arguments); });
}

}  // namespace taffeta::app

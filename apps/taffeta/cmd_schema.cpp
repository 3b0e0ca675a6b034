#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "taffeta/scene/json.h"
#include "taffeta/scene/schema.h"

namespace taffeta::app {

void add_schema_command(Command app, int&) {
    Command command = app.subcommand("schema", "print the JSON Schema of scenes");
    const auto markdown = std::make_shared<bool>(false);
    command.flag("--markdown", *markdown, "print docs/scene_format.md instead");
    command.footer("Example:  taffeta schema > scene.schema.json");
    command.action([markdown] {
        if (*markdown)
            fmt::print("{}", scene::scene_format_markdown());
        else
            fmt::print("{}\n", scene::write_json(scene::scene_schema()));
    });
}

}  // namespace taffeta::app

#pragma once

namespace CLI {
class App;
}

/// Each subcommand is one file that registers itself; `commands.inc` lists them. A command sets
/// `exit_status` (0 done, 1 the numerics failed, 130 interrupted) and throws `taffeta::Error` for
/// bad input (2) and input/output (3).
namespace taffeta::app {

#define TAFFETA_COMMAND(name) void add_##name##_command(CLI::App& app, int& exit_status);
#include "commands.inc"
#undef TAFFETA_COMMAND

}  // namespace taffeta::app

#pragma once

#include <string>

#include "command_line.h"

/// Each subcommand is one file that registers itself; `commands.inc` lists them. A command sets
/// `exit_status` (0 done, 1 the numerics failed, 130 interrupted) and throws `taffeta::Error` for
/// bad input (2) and input/output (3).
namespace taffeta::app {

constexpr int exit_numerics = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_io = 3;

#define TAFFETA_COMMAND(name) void add_##name##_command(Command app, int& exit_status);
#include "commands.inc"
#undef TAFFETA_COMMAND

inline void add_commands(Command app, int& exit_status) {
#define TAFFETA_COMMAND(name) add_##name##_command(app, exit_status);
#include "commands.inc"
#undef TAFFETA_COMMAND
}

/// The exit status of the command that the arguments name; --help, --version and mistakes in the
/// arguments are answered here.
int parse_and_run(int argc, char** argv, const std::string& version);

}  // namespace taffeta::app

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "commands.h"
#include "taffeta/base/error.h"

namespace taffeta::app {

namespace {

constexpr int exit_bad_input = 2;
constexpr int exit_io = 3;

int exit_status_of(const Error& error) {
    switch (error.code()) {
        case ErrorCode::bad_input:
            return exit_bad_input;
        case ErrorCode::io:
            return exit_io;
        case ErrorCode::internal:
            break;
    }
    return 1;
}

std::string version_text() {
    return fmt::format("taffeta {} ({}, C++{}, {})", TAFFETA_VERSION, __VERSION__,
                       __cplusplus / 100 % 100,
#ifdef __AVX2__
                       "AVX2"
#else
                       "no AVX2"
#endif
    );
}

int run(int argc, char** argv) {
    int exit_status = 0;
    CLI::App app("Taffeta: cloth and soft objects, and the solvers behind them", "taffeta");
    app.set_version_flag("--version", version_text());
    app.require_subcommand(1);
    app.footer("Start with:  taffeta run drooping -o out/drooping && taffeta render out/drooping");
#define TAFFETA_COMMAND(name) add_##name##_command(app, exit_status);
#include "commands.inc"
#undef TAFFETA_COMMAND

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);
        return status == 0 ? 0 : exit_bad_input;
    }
    return exit_status;
}

}  // namespace

}  // namespace taffeta::app

int main(int argc, char** argv) {
    using namespace taffeta;
    try {
        return app::run(argc, argv);
    } catch (const Error& error) {
        const std::string where = error.where().empty() ? "" : escaped(error.where()) + ": ";
        fmt::print(stderr, "{}error: {}\n", where, error.message());
        if (!error.hint().empty()) fmt::print(stderr, "  hint: {}\n", error.hint());
        return app::exit_status_of(error);
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "error: out of memory\n");
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {} (unexpected; please report it)\n", error.what());
    }
    return 1;
}

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "commands.h"
#include "taffeta/base/error.h"

namespace taffeta::app {

namespace {

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

}  // namespace

}  // namespace taffeta::app

int main(int argc, char** argv) {
    using namespace taffeta;
    try {
        return app::parse_and_run(argc, argv, app::version_text());
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

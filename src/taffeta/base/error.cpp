#include "taffeta/base/error.h"

#include <fmt/format.h>

#include "taffeta/base/utf8.h"

namespace taffeta {

namespace {

std::string sentence(const std::string& where, const std::string& what, const std::string& hint) {
    std::string text = where.empty() ? what : where + ": " + what;
    if (!hint.empty()) text += " (" + hint + ")";
    return text;
}

const char* word(Severity severity) {
    switch (severity) {
        case Severity::note:
            return "note";
        case Severity::warning:
            return "warning";
        case Severity::error:
            return "error";
    }
    return "?";
}

}  // namespace

Error::Error(ErrorCode code, std::string where, std::string what, std::string hint)
    : std::runtime_error(sentence(where, what, hint)),
      code_(code),
      where_(std::move(where)),
      message_(std::move(what)),
      hint_(std::move(hint)) {}

void fail_input(std::string where, std::string what, std::string hint) {
    throw Error(ErrorCode::bad_input, std::move(where), std::move(what), std::move(hint));
}

void fail_io(std::string where, std::string what, std::string hint) {
    throw Error(ErrorCode::io, std::move(where), std::move(what), std::move(hint));
}

std::string Diagnostic::text() const {
    return sentence(where, fmt::format("{}: {}", word(severity), message), hint);
}

std::string escaped(const std::string& text) {
    std::string safe;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text, i);
        const unsigned char byte = static_cast<unsigned char>(text[i]);
        if (length == 0 || byte < 0x20 || byte == 0x7f) {
            safe += fmt::format("\\x{:02x}", byte);
            ++i;
        } else {
            safe.append(text, i, length);
            i += length;
        }
    }
    return safe;
}

void assertion_failed(const char* condition, const char* file, int line) {
    throw Error(ErrorCode::internal, fmt::format("{}:{}", file, line),
                fmt::format("assertion failed: {}", condition), "please report this");
}

}  // namespace taffeta

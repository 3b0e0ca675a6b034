#pragma once

#include <stdexcept>
#include <string>
#include <vector>

/// Errors and diagnostics. Bad input throws `Error` at the boundary, numerical outcomes are
/// reports (base/report.h), our own mistakes are assertions. The library never prints.
namespace taffeta {

enum class ErrorCode {
    bad_input,  ///< the user can mend it: exit status 2
    io,         ///< the machine refused: exit status 3
    internal,   ///< our mistake
};

/// An error that a person can act on: where it is, what is wrong, what to do.
///
/// `where` is `file`, `file:line` or `file:line:column` (or a key path such as `bodies[0].mesh`
/// when there is no file), `what` names the element and the value, `hint` may be empty.
class Error : public std::runtime_error {
  public:
    Error(ErrorCode code, std::string where, std::string what, std::string hint = {});

    ErrorCode code() const { return code_; }
    const std::string& where() const { return where_; }
    const std::string& message() const { return message_; }
    const std::string& hint() const { return hint_; }

  private:
    ErrorCode code_;
    std::string where_, message_, hint_;
};

[[noreturn]] void fail_input(std::string where, std::string what, std::string hint = {});
[[noreturn]] void fail_io(std::string where, std::string what, std::string hint = {});

enum class Severity { note, warning, error };

/// A finding that does not stop the work by itself: a repaired mesh, a clamped value.
struct Diagnostic {
    Severity severity = Severity::warning;
    std::string where;    ///< file[:line] or key path
    std::string message;  ///< with counts and the first element's id
    std::string hint;

    std::string text() const;  ///< `where: warning: message (hint)`
};

using Diagnostics = std::vector<Diagnostic>;

/// Makes untrusted text safe for a terminal or a log: control bytes and invalid UTF-8 become \xNN.
std::string escaped(const std::string& text);

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace taffeta

/// Checks what only a mistake of ours can break. Stays on in release builds: outside hot loops.
#define TAFFETA_ASSERT(condition) \
    ((condition) ? void(0) : ::taffeta::assertion_failed(#condition, __FILE__, __LINE__))

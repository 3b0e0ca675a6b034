#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Reading numbers and lines of text meshes, whatever the locale and whoever wrote the line ends.
namespace taffeta::io {

inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

/// Takes the next blank-separated word off the front of `line`; empty at its end.
std::string_view take_word(std::string_view& line);

/// Fails bad input at `where` when the text is no text: a UTF-16 mark or a NUL byte.
void require_text(std::string_view bytes, const std::string& where);

/// The text without a UTF-8 mark at its front.
std::string_view without_mark(std::string_view bytes);

/// Lines that end with LF, CR LF or CR, or with the file. A backslash at the end of a line joins
/// the next one where `continued` (comments excepted). Lines longer than 64 MiB are bad input.
class LineReader {
  public:
    LineReader(std::string_view text, std::string file, bool continued = true)
        : rest_(text), file_(std::move(file)), continued_(continued) {}

    /// False at the end. The line stays valid until the next call.
    bool next(std::string_view& line);

    int number() const { return number_; }  ///< of the line's first physical line, from 1
    std::string place() const { return place(number_); }
    std::string place(int line) const;               ///< `file:line`
    std::string_view rest() const { return rest_; }  ///< the bytes behind the line

    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;

  private:
    std::string_view take_physical();

    std::string_view rest_;
    std::string file_;
    std::string joined_;
    bool continued_;
    int number_ = 0, physical_ = 0;
};

/// What a word is as a number. Accepted: what `strtod` takes in the C locale without hexadecimal
/// forms, also `+1.0`, `.5`, `5.`, `1e5`, and digits of any length. Numbers too small for a double
/// are 0, too large ones infinite. `nan` and `inf` are numbers here: callers refuse what is not
/// finite.
bool parse_number(std::string_view word, double& value);

/// A word shown in a message: escaped, and cut after 40 bytes.
std::string shown(std::string_view word);

/// Why a word is no number, as a hint: a decimal comma, or the names of another runtime.
std::string number_hint(std::string_view word);

}  // namespace taffeta::io

#include "taffeta/io/text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "taffeta/base/error.h"

namespace taffeta::io {

namespace {

constexpr std::size_t longest_line = std::size_t(64) << 20;

/// A value beyond the range of double: whether it is beyond because it is small.
bool is_underflow(std::string_view word) {
    const std::size_t exponent = word.find_first_of("eE");
    if (exponent != std::string_view::npos)
        return exponent + 1 < word.size() && word[exponent + 1] == '-';
    const std::size_t digit = word.find_first_not_of("+-0");
    return digit == std::string_view::npos || word[digit] == '.';
}

}  // namespace

std::string_view take_word(std::string_view& line) {
    std::size_t begin = 0;
    while (begin < line.size() && is_blank(line[begin]))
        ++begin;
    std::size_t end = begin;
    while (end < line.size() && !is_blank(line[end]))
        ++end;
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

void require_text(std::string_view bytes, const std::string& where) {
    const auto starts = [&](const char* mark) {
        return bytes.size() >= 2 && std::memcmp(bytes.data(), mark, 2) == 0;
    };
    if (starts("\xff\xfe") || starts("\xfe\xff"))
        fail_input(where, "the file is UTF-16 text", "save it as UTF-8 or ASCII");
    const std::size_t nul = bytes.find('\0');
    if (nul != std::string_view::npos) {
        const auto line = 1 + std::count(bytes.begin(), bytes.begin() + std::ptrdiff_t(nul), '\n');
        fail_input(fmt::format("{}:{}", where, line),
                   fmt::format("a NUL byte at offset {}: this is a binary or UTF-16 file", nul),
                   "save it as plain text");
    }
}

std::string_view without_mark(std::string_view bytes) {
    return bytes.substr(bytes.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0);
}

std::string_view LineReader::take_physical() {
    const char* const begin = rest_.data();
    const char* const end = begin + rest_.size();
    const char* at = begin;
    while (at != end && *at != '\n' && *at != '\r')
        ++at;
    ++physical_;
    if (std::size_t(at - begin) > longest_line) {
        number_ = physical_;
        fail(fmt::format("a line of {} bytes", at - begin), "at most 64 MiB");
    }
    const std::string_view line(begin, std::size_t(at - begin));
    if (at != end) at += *at == '\r' && at + 1 != end && at[1] == '\n' ? 2 : 1;
    rest_.remove_prefix(std::size_t(at - begin));
    return line;
}

bool LineReader::next(std::string_view& line) {
    if (rest_.empty()) return false;
    line = take_physical();
    number_ = physical_;
    const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    if (!continued_ || line.empty() || line.back() != '\\' || line[first] == '#') return true;

    joined_.clear();
    while (!line.empty() && line.back() == '\\') {
        joined_.append(line.substr(0, line.size() - 1));
        joined_ += ' ';
        if (joined_.size() > longest_line)
            fail(fmt::format("a continued line of more than {} bytes", joined_.size()),
                 "at most 64 MiB");
        line = rest_.empty() ? std::string_view() : take_physical();
    }
    joined_.append(line);
    line = joined_;
    return true;
}

std::string LineReader::place(int line) const {
    return fmt::format("{}:{}", file_, line);
}

void LineReader::fail(const std::string& what, const std::string& hint) const {
    fail_input(place(), what, hint);
}

bool parse_number(std::string_view word, double& value) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+')
        word.remove_prefix(1);
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code == std::errc::invalid_argument || end != word.data() + word.size()) return false;
    if (code == std::errc::result_out_of_range)
        value = is_underflow(word)
                    ? 0.0
                    : (word[0] == '-' ? -1 : 1) * std::numeric_limits<double>::infinity();
    return true;
}

std::string shown(std::string_view word) {
    constexpr std::size_t longest = 40;
    if (word.size() <= longest) return escaped(std::string(word));
    return fmt::format("{}... ({} bytes)", escaped(std::string(word.substr(0, longest))),
                       word.size());
}

std::string number_hint(std::string_view word) {
    if (word.find(',') != std::string_view::npos)
        return "a decimal comma? Write numbers with a point";
    if (word.find('#') != std::string_view::npos)
        return "the program that wrote the file failed there";
    if (word.find("0x") != std::string_view::npos || word.find("0X") != std::string_view::npos)
        return "hexadecimal is not read";
    return {};
}

}  // namespace taffeta::io

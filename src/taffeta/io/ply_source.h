#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "taffeta/base/error.h"
#include "taffeta/io/bytes.h"
#include "taffeta/io/ply_header.h"

/// Where the values of a PLY body come from: lines of text or raw bytes. Both have the same
/// members, for which the reader is a template (a virtual call per value would halve its speed).
namespace taffeta::io {

/// One line an element.
class PlyText {
  public:
    static constexpr bool has_lines = true;

    explicit PlyText(LineReader& lines) : lines_(lines) {}

    /// A value takes at least a digit and a blank; the last needs no line end.
    bool has_room(const PlyElement& element) const {
        const std::size_t least = std::max<std::size_t>(1, 2 * element.property.size());
        return std::size_t(element.count) <= (lines_.rest().size() + 1) / least;
    }
    void begin(const PlyElement&) {
        do {
            if (!lines_.next(line_)) lines_.fail("the file ends too early");
        } while (line_.find_first_not_of(" \t") == std::string_view::npos);
    }
    void end(const PlyElement& element) {
        if (!take_word(line_).empty())
            lines_.fail(fmt::format("more values than the {} properties of '{}'",
                                    element.property.size(), shown(element.name)));
    }
    double value(PlyType) {
        const std::string_view word = take_word(line_);
        double number = 0;
        if (word.empty()) lines_.fail("fewer values than the header says");
        if (!parse_number(word, number))
            lines_.fail(fmt::format("'{}' is not a number", shown(word)), number_hint(word));
        return number;
    }
    bool has_list_room(std::int64_t count, PlyType) const {
        return count <= std::int64_t(line_.size());
    }
    int line() const { return lines_.number(); }
    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        lines_.fail(what, hint);
    }

  private:
    LineReader& lines_;
    std::string_view line_;
};

/// Raw values of either byte order.
template <bool big_endian>
class PlyBytes {
  public:
    static constexpr bool has_lines = false;

    PlyBytes(std::string_view bytes, std::string where) : rest_(bytes), where_(std::move(where)) {}

    bool has_room(const PlyElement& element) const {
        const std::size_t least = element.least_size();
        return least == 0 || std::size_t(element.count) <= rest_.size() / least;
    }
    void begin(const PlyElement&) {}
    void end(const PlyElement&) {}
    double value(PlyType type) {
        switch (type) {
            case PlyType::int8:
                return take<std::int8_t>();
            case PlyType::uint8:
                return take<std::uint8_t>();
            case PlyType::int16:
                return take<std::int16_t>();
            case PlyType::uint16:
                return take<std::uint16_t>();
            case PlyType::int32:
                return take<std::int32_t>();
            case PlyType::uint32:
                return take<std::uint32_t>();
            case PlyType::float32:
                return double(take<float>());
            case PlyType::float64:
                return take<double>();
        }
        return 0;
    }
    bool has_list_room(std::int64_t count, PlyType type) const {
        return std::size_t(count) <= rest_.size() / size_of(type);
    }
    int line() const { return 0; }
    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        fail_input(where_, what, hint);
    }

  private:
    template <class T>
    T take() {
        if (rest_.size() < sizeof(T)) fail("the file ends too early");
        const T value = big_endian ? read_big<T>(rest_.data()) : read_little<T>(rest_.data());
        rest_.remove_prefix(sizeof(T));
        return value;
    }

    std::string_view rest_;
    std::string where_;
};

}  // namespace taffeta::io

#pragma once

#include <charconv>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "taffeta/base/types.h"

namespace taffeta::io {

/// Text on its way to a file, in blocks. Numbers are printed in the fewest digits that read back
/// as the same value, whatever the locale is.
class TextBlock {
  public:
    using Target = std::function<void(std::string_view)>;

    explicit TextBlock(Target target) : target_(std::move(target)) { text_.reserve(2 * limit); }

    TextBlock& operator<<(std::string_view text) {
        text_.append(text);
        if (text_.size() >= limit) flush();
        return *this;
    }
    TextBlock& operator<<(float value) { return number(value); }
    TextBlock& operator<<(double value) { return number(value); }
    TextBlock& operator<<(Index value) { return number(value); }

    /// `(a, b, c)`
    TextBlock& tuple(std::span<const float> values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            *this << (i == 0 ? "(" : ", ") << values[i];
        return *this << ")";
    }

    void flush() {
        target_(text_);
        text_.clear();
    }

  private:
    static constexpr std::size_t limit = std::size_t(1) << 18;

    template <class Number>
    TextBlock& number(Number value) {
        char digits[32];
        const std::to_chars_result result = std::to_chars(digits, digits + sizeof digits, value);
        return *this << std::string_view(digits, std::size_t(result.ptr - digits));
    }

    Target target_;
    std::string text_;
};

}  // namespace taffeta::io

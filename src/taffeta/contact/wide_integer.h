#pragma once

#include <cstdint>
#include <memory>

namespace taffeta::contact {

/// An integer of any length, for decisions that must be exact: sign and magnitude, 64-bit words, the
/// lowest first.
///
/// Every finite double is an integer times a power of two, and where only signs matter a common power
/// can be dropped; so sums and products of integers decide what doubles cannot. Why not expansions of
/// doubles [Shewchuk97]? They lose exactness where a product underflows, and products of many factors
/// grow in pieces; integers have one case. Numbers of up to `inline_words` words, which ordinary data
/// never exceed, live without an allocation.
class WideInteger {
  public:
    WideInteger() {}  // not defaulted: the words need no zeros
    WideInteger(std::int64_t value);
    /// value 2^shift
    WideInteger(std::int64_t value, unsigned shift);

    WideInteger(const WideInteger& other) { copy(other); }
    WideInteger(WideInteger&& other) noexcept { take(other); }
    WideInteger& operator=(const WideInteger& other) {
        if (this != &other) copy(other);
        return *this;
    }
    WideInteger& operator=(WideInteger&& other) noexcept {
        if (this != &other) take(other);
        return *this;
    }
    ~WideInteger() = default;

    int sign() const { return size_ == 0 ? 0 : (negative_ ? -1 : 1); }
    WideInteger magnitude() const;

    WideInteger operator-() const&;
    WideInteger operator-() &&;
    /// this 2^shift
    WideInteger shifted(unsigned shift) const;

    friend WideInteger operator+(const WideInteger& a, const WideInteger& b) {
        return sum(a, b, b.negative_);
    }
    friend WideInteger operator-(const WideInteger& a, const WideInteger& b) {
        return sum(a, b, !b.negative_);
    }
    friend WideInteger operator*(const WideInteger& a, const WideInteger& b);

    /// The sign of a - b.
    friend int compare(const WideInteger& a, const WideInteger& b);

  private:
    static constexpr std::uint32_t inline_words = 24;

    static WideInteger sum(const WideInteger& a, const WideInteger& b, bool b_negative);
    static int compare_magnitudes(const WideInteger& a, const WideInteger& b);
    void copy(const WideInteger& other);
    void take(WideInteger& other) noexcept;
    void reserve(std::uint32_t words);
    void trim();
    std::uint64_t* words() { return heap_ ? heap_.get() : inline_; }
    const std::uint64_t* words() const { return heap_ ? heap_.get() : inline_; }

    std::uint32_t size_ = 0;  ///< words in use; the highest is not zero
    std::uint32_t capacity_ = inline_words;
    bool negative_ = false;
    std::unique_ptr<std::uint64_t[]> heap_;
    std::uint64_t inline_[inline_words];
};

}  // namespace taffeta::contact

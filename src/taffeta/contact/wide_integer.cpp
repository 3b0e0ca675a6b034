#include "taffeta/contact/wide_integer.h"

#include <algorithm>
#include <utility>

namespace taffeta::contact {

namespace {

__extension__ using DoubleWord = unsigned __int128;

}  // namespace

WideInteger::WideInteger(std::int64_t value) {
    if (value == 0) return;
    negative_ = value < 0;
    size_ = 1;
    inline_[0] = negative_ ? 0 - std::uint64_t(value) : std::uint64_t(value);
}

WideInteger::WideInteger(std::int64_t value, unsigned shift) {
    *this = WideInteger(value).shifted(shift);
}

WideInteger WideInteger::magnitude() const {
    WideInteger result(*this);
    result.negative_ = false;
    return result;
}

WideInteger WideInteger::operator-() const& {
    WideInteger result(*this);
    result.negative_ = size_ > 0 && !negative_;
    return result;
}

WideInteger WideInteger::operator-() && {
    negative_ = size_ > 0 && !negative_;
    return std::move(*this);
}

WideInteger WideInteger::shifted(unsigned shift) const {
    if (size_ == 0 || shift == 0) return *this;
    const std::uint32_t whole = shift / 64, bits = shift % 64;
    WideInteger result;
    result.reserve(size_ + whole + 1);
    std::uint64_t* to = result.words();
    const std::uint64_t* from = words();
    std::fill_n(to, whole, 0);
    std::uint64_t carry = 0;
    for (std::uint32_t k = 0; k < size_; ++k) {
        to[whole + k] = (from[k] << bits) | carry;
        carry = bits ? from[k] >> (64 - bits) : 0;
    }
    to[whole + size_] = carry;
    result.size_ = size_ + whole + 1;
    result.negative_ = negative_;
    result.trim();
    return result;
}

WideInteger WideInteger::sum(const WideInteger& a, const WideInteger& b, bool b_negative) {
    if (b.size_ == 0) return a;
    WideInteger result;
    if (a.negative_ == b_negative) {
        const WideInteger& longer = a.size_ >= b.size_ ? a : b;
        const WideInteger& shorter = a.size_ >= b.size_ ? b : a;
        result.reserve(longer.size_ + 1);
        const std::uint64_t *p = longer.words(), *q = shorter.words();
        std::uint64_t* to = result.words();
        DoubleWord carry = 0;
        for (std::uint32_t k = 0; k < longer.size_; ++k) {
            carry += DoubleWord(p[k]) + (k < shorter.size_ ? q[k] : 0);
            to[k] = std::uint64_t(carry);
            carry >>= 64;
        }
        to[longer.size_] = std::uint64_t(carry);
        result.size_ = longer.size_ + 1;
        result.negative_ = b_negative;
        result.trim();
        return result;
    }
    const int order = compare_magnitudes(a, b);
    if (order == 0) return result;
    const WideInteger& larger = order > 0 ? a : b;
    const WideInteger& smaller = order > 0 ? b : a;
    result.reserve(larger.size_);
    const std::uint64_t *p = larger.words(), *q = smaller.words();
    std::uint64_t* to = result.words();
    std::uint64_t borrow = 0;
    for (std::uint32_t k = 0; k < larger.size_; ++k) {
        const DoubleWord taken = DoubleWord(k < smaller.size_ ? q[k] : 0) + borrow;
        to[k] = p[k] - std::uint64_t(taken);
        borrow = DoubleWord(p[k]) < taken;
    }
    result.size_ = larger.size_;
    result.negative_ = order > 0 ? a.negative_ : b_negative;
    result.trim();
    return result;
}

WideInteger operator*(const WideInteger& a, const WideInteger& b) {
    WideInteger result;
    if (a.size_ == 0 || b.size_ == 0) return result;
    result.reserve(a.size_ + b.size_);
    const std::uint64_t *p = a.words(), *q = b.words();
    std::uint64_t* to = result.words();
    std::fill_n(to, a.size_ + b.size_, 0);
    for (std::uint32_t i = 0; i < a.size_; ++i) {
        std::uint64_t carry = 0;
        for (std::uint32_t j = 0; j < b.size_; ++j) {
            const DoubleWord part = DoubleWord(p[i]) * q[j] + to[i + j] + carry;
            to[i + j] = std::uint64_t(part);
            carry = std::uint64_t(part >> 64);
        }
        to[i + b.size_] = carry;
    }
    result.size_ = a.size_ + b.size_;
    result.negative_ = a.negative_ != b.negative_;
    result.trim();
    return result;
}

int compare(const WideInteger& a, const WideInteger& b) {
    if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
    const int order = WideInteger::compare_magnitudes(a, b);
    return a.negative_ ? -order : order;
}

int WideInteger::compare_magnitudes(const WideInteger& a, const WideInteger& b) {
    if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
    const std::uint64_t *p = a.words(), *q = b.words();
    for (std::uint32_t k = a.size_; k-- > 0;)
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
}

void WideInteger::copy(const WideInteger& other) {
    size_ = 0;
    reserve(other.size_);
    std::copy_n(other.words(), other.size_, words());
    size_ = other.size_;
    negative_ = other.negative_;
}

void WideInteger::take(WideInteger& other) noexcept {
    if (other.heap_) {
        heap_ = std::move(other.heap_);
        capacity_ = std::exchange(other.capacity_, inline_words);
    } else {
        std::copy_n(other.inline_, other.size_,
                    words());  // every capacity is at least the inline one
    }
    size_ = std::exchange(other.size_, 0);
    negative_ = other.negative_;
}

/// Room for so many words; the value is lost.
void WideInteger::reserve(std::uint32_t count) {
    if (count <= capacity_) return;
    heap_ = std::make_unique_for_overwrite<std::uint64_t[]>(count);
    capacity_ = count;
}

void WideInteger::trim() {
    const std::uint64_t* word = words();
    while (size_ > 0 && word[size_ - 1] == 0)
        --size_;
    if (size_ == 0) negative_ = false;
}

}  // namespace taffeta::contact

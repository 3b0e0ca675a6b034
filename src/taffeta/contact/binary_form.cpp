#include "taffeta/contact/binary_form.h"

#include <algorithm>
#include <utility>

namespace taffeta::contact {

bool BinaryForm::is_zero() const {
    for (int i = 0; i <= degree; ++i)
        if (c[std::size_t(i)].sign() != 0) return false;
    return true;
}

int BinaryForm::sign_at(const WideInteger& x, const WideInteger& y) const {
    // Horner: ((c_d x + c_(d-1) y) x + c_(d-2) y^2) x + ...
    WideInteger value = c[std::size_t(degree)], power = y;
    for (int i = degree - 1; i >= 0; --i) {
        value = value * x + c[std::size_t(i)] * power;
        if (i > 0) power = power * y;
    }
    return value.sign();
}

int BinaryForm::variations() const {
    int changes = 0, last = 0;
    for (int i = 0; i <= degree; ++i) {
        const int sign = c[std::size_t(i)].sign();
        if (sign == 0) continue;
        changes += last != 0 && sign != last;
        last = sign;
    }
    return changes;
}

BinaryForm BinaryForm::stripped() const {
    int first = 0, last = degree;
    while (first < last && c[std::size_t(first)].sign() == 0)
        ++first;
    while (last > first && c[std::size_t(last)].sign() == 0)
        --last;
    BinaryForm result;
    result.degree = last - first;
    std::copy(c.begin() + first, c.begin() + last + 1, result.c.begin());
    return result;
}

BinaryForm BinaryForm::left_half() const {
    // x = X, y = X + Z with Z = 2 Y: a shift in Z / X, then powers of two.
    BinaryForm result = *this;
    for (int pass = 0; pass < degree; ++pass)
        for (int i = 1; i <= degree - pass; ++i)
            result.c[std::size_t(i)] = result.c[std::size_t(i)] + result.c[std::size_t(i - 1)];
    for (int i = 0; i < degree; ++i)
        result.c[std::size_t(i)] = result.c[std::size_t(i)].shifted(unsigned(degree - i));
    return result;
}

BinaryForm BinaryForm::right_half() const {
    BinaryForm mirrored = *this;
    std::reverse(mirrored.c.begin(), mirrored.c.begin() + degree + 1);
    BinaryForm result = mirrored.left_half();
    std::reverse(result.c.begin(), result.c.begin() + degree + 1);
    return result;
}

BinaryForm operator+(const BinaryForm& a, const BinaryForm& b) {
    BinaryForm result;
    result.degree = a.degree;
    for (std::size_t i = 0; i <= std::size_t(a.degree); ++i)
        result.c[i] = a.c[i] + b.c[i];
    return result;
}

BinaryForm operator-(const BinaryForm& a, const BinaryForm& b) {
    BinaryForm result;
    result.degree = a.degree;
    for (std::size_t i = 0; i <= std::size_t(a.degree); ++i)
        result.c[i] = a.c[i] - b.c[i];
    return result;
}

BinaryForm operator*(const BinaryForm& a, const BinaryForm& b) {
    BinaryForm result;
    result.degree = a.degree + b.degree;
    for (std::size_t i = 0; i <= std::size_t(a.degree); ++i)
        for (std::size_t j = 0; j <= std::size_t(b.degree); ++j)
            result.c[i + j] = result.c[i + j] + a.c[i] * b.c[j];
    return result;
}

WideInteger discriminant(const BinaryForm& form) {
    if (form.degree == 2) return form.c[1] * form.c[1] - form.c[0] * form.c[2].shifted(2);
    const WideInteger &d = form.c[0], &c = form.c[1], &b = form.c[2], &a = form.c[3];
    const WideInteger ad = a * d, bc = b * c;
    // 18 abcd - 4 b^3 d + b^2 c^2 - 4 a c^3 - 27 a^2 d^2
    return WideInteger(18) * ad * bc - (b * b * b * d).shifted(2) + bc * bc -
           (a * c * c * c).shifted(2) - WideInteger(27) * ad * ad;
}

}  // namespace taffeta::contact

#pragma once

#include <array>

#include "taffeta/contact/wide_integer.h"

namespace taffeta::contact {

/// A polynomial in time on the interval [0, 1], exactly: f(x, y) = sum_i c_i x^i y^(d-i), where the
/// time is t = x / (x + y) with x, y >= 0, and f has the sign that the polynomial has at t.
///
/// The coefficients are the Bernstein coefficients times binomials: their number of sign changes
/// bounds the number of roots in the open interval, and differs from it by an even number (Descartes'
/// rule). Coordinates x, y instead of t keep all numbers integers: a rational time is a pair, and no
/// operation divides.
struct BinaryForm {
    int degree = 0;  ///< at most 3
    std::array<WideInteger, 4> c;

    bool is_zero() const;
    /// Sign at the time x / (x + y); x and y not negative, not both zero.
    int sign_at(const WideInteger& x, const WideInteger& y) const;
    int sign_at_start() const { return c[0].sign(); }
    int sign_at_end() const { return c[std::size_t(degree)].sign(); }
    /// Changes of sign along the coefficients, zeros left out.
    int variations() const;
    /// Without the factors x and y, which are positive inside: the first and the last coefficient
    /// are then not zero. The form must not be zero.
    BinaryForm stripped() const;
    /// On the half [0, 1/2] or [1/2, 1] of the interval, as a form over the whole.
    BinaryForm left_half() const;
    BinaryForm right_half() const;

    friend BinaryForm operator+(const BinaryForm& a, const BinaryForm& b);
    friend BinaryForm operator-(const BinaryForm& a, const BinaryForm& b);
    friend BinaryForm operator*(const BinaryForm& a, const BinaryForm& b);
};

/// A quadratic form's discriminant c1^2 - 4 c0 c2, or a cubic's: zero if and only if a root is double.
WideInteger discriminant(const BinaryForm& form);

}  // namespace taffeta::contact

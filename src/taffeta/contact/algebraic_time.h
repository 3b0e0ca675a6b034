#pragma once

#include <array>

#include "taffeta/contact/binary_form.h"

namespace taffeta::contact {

/// A root of a form in the open interval (0, 1), known exactly: a rational number, or the only root,
/// a simple one, of a form on a cell [k, k + 1] / 2^depth.
///
/// `sign_at` decides the sign of another polynomial at the root without ever approximating it: two
/// roots are compared through the remainder of one polynomial by the other, whose root is rational
/// (Euclid's algorithm, as in Sturm's theorem). The cost is bounded, however close the two roots are.
class AlgebraicTime {
  public:
    AlgebraicTime() = default;
    static AlgebraicTime rational(WideInteger x, WideInteger y);
    /// `form`, stripped, has exactly one root inside, and it is simple.
    static AlgebraicTime root(BinaryForm form, unsigned depth, WideInteger cell);

    /// Sign of a form of degree at most 2 over the whole interval.
    int sign_at(const BinaryForm& whole) const;

    /// The largest multiple of 2^-grid_bits that is not above the time, times 2^grid_bits.
    static constexpr unsigned grid_bits = 32;
    std::int64_t grid_floor() const;

  private:
    int sign_of_linear(const BinaryForm& q) const;
    int sign_of_quadratic(const BinaryForm& q) const;
    BinaryForm restricted(const BinaryForm& whole) const;

    bool is_rational_ = false;
    WideInteger x_, y_;  ///< a rational time x / (x + y)
    BinaryForm form_;    ///< over the cell
    unsigned depth_ = 0;
    WideInteger cell_;
};

/// The roots of a form that is not zero in the open interval (0, 1), ascending, each once.
struct RootList {
    int count = 0;
    std::array<AlgebraicTime, 3> root;
};
RootList roots_inside(const BinaryForm& form);

}  // namespace taffeta::contact

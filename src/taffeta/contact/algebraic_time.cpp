#include "taffeta/contact/algebraic_time.h"

#include <utility>

namespace taffeta::contact {

namespace {

WideInteger power_of_two(unsigned exponent) {
    return WideInteger(1, exponent);
}

/// Of a stripped form with one sign change: the root is the only one, and simple.
bool has_single_root(const BinaryForm& form) {
    return form.variations() == 1;
}

/// Halves the cell until every root is alone. All roots of the form are real and simple, so the
/// number of sign changes is the number of roots inside, and the halving ends.
void split_real_roots(const BinaryForm& form, unsigned depth, const WideInteger& cell,
                      RootList& roots) {
    const int inside = form.variations();
    if (inside == 0) return;
    if (inside == 1) {
        roots.root[std::size_t(roots.count++)] = AlgebraicTime::root(form, depth, cell);
        return;
    }
    const BinaryForm left = form.left_half(), right = form.right_half();
    const WideInteger first = cell.shifted(1), second = first + WideInteger(1);
    split_real_roots(left.stripped(), depth + 1, first, roots);
    if (right.sign_at_start() == 0)
        roots.root[std::size_t(roots.count++)] =
            AlgebraicTime::rational(second, power_of_two(depth + 1) - second);
    split_real_roots(right.stripped(), depth + 1, second, roots);
}

void add_if_inside(const WideInteger& numerator, const WideInteger& denominator, RootList& roots) {
    // The root of z = x / y = numerator / denominator
    if (numerator.sign() * denominator.sign() <= 0) return;
    roots.root[std::size_t(roots.count++)] =
        AlgebraicTime::rational(numerator.magnitude(), denominator.magnitude());
}

/// All roots z = x/y of a z^3 + b z^2 + c z + d are rational when one is multiple.
void multiple_roots(const BinaryForm& cubic, RootList& roots) {
    const WideInteger &d = cubic.c[0], &c = cubic.c[1], &b = cubic.c[2], &a = cubic.c[3];
    const WideInteger spread = b * b - WideInteger(3) * a * c;
    if (spread.sign() == 0) {  // a triple root
        add_if_inside(-b, WideInteger(3) * a, roots);
        return;
    }
    // the double root (9 a d - b c) / (2 spread), the simple one (4 a b c - 9 a^2 d - b^3) / (a spread)
    const WideInteger bc = b * c, nine_ad = WideInteger(9) * a * d;
    const WideInteger twice = nine_ad - bc, below = spread.shifted(1);
    const WideInteger once = (a * bc).shifted(2) - a * nine_ad - b * b * b;
    const WideInteger below_once = a * spread;
    // ascending: twice / below < once / below_once, cross-multiplied by positive numbers
    const WideInteger left = twice * below_once, right = once * below;
    const bool double_first = compare(left, right) * below.sign() * below_once.sign() < 0;
    if (double_first) add_if_inside(twice, below, roots);
    add_if_inside(once, below_once, roots);
    if (!double_first) add_if_inside(twice, below, roots);
}

/// r1 z + r0 with the sign of p at the roots z > 0 of the quadratic q (p of degree 2 or 3).
struct LinearRemainder {
    WideInteger r0, r1;
};
LinearRemainder remainder(const BinaryForm& p, const BinaryForm& q) {
    const WideInteger &q0 = q.c[0], &q1 = q.c[1], &q2 = q.c[2];
    if (p.degree == 2) {
        LinearRemainder r{p.c[0] * q2 - p.c[2] * q0, p.c[1] * q2 - p.c[2] * q1};
        if (q2.sign() < 0) r = {-std::move(r.r0), -std::move(r.r1)};
        return r;
    }
    // q2^2 p, reduced by q2 z^2 = -q1 z - q0
    const WideInteger q2_sq = q2 * q2;
    return {p.c[3] * q1 * q0 - p.c[2] * q0 * q2 + p.c[0] * q2_sq,
            p.c[3] * (q1 * q1 - q0 * q2) - p.c[2] * q1 * q2 + p.c[1] * q2_sq};
}

}  // namespace

AlgebraicTime AlgebraicTime::rational(WideInteger x, WideInteger y) {
    AlgebraicTime time;
    time.is_rational_ = true;
    time.x_ = std::move(x);
    time.y_ = std::move(y);
    return time;
}

AlgebraicTime AlgebraicTime::root(BinaryForm form, unsigned depth, WideInteger cell) {
    if (form.degree == 1) {  // at x : y = |c0| : |c1| of the cell
        const WideInteger a = form.c[0].magnitude(), b = form.c[1].magnitude();
        const WideInteger sum = a + b;
        WideInteger x = cell * sum + a;
        WideInteger y = power_of_two(depth) * sum - x;
        return rational(std::move(x), std::move(y));
    }
    AlgebraicTime time;
    time.form_ = std::move(form);
    time.depth_ = depth;
    time.cell_ = std::move(cell);
    return time;
}

/// x = k Y + (k + 1) X and y = (2^depth - k) Y + (2^depth - k - 1) X put the cell in the place of the
/// interval.
BinaryForm AlgebraicTime::restricted(const BinaryForm& whole) const {
    BinaryForm x, y;
    x.degree = y.degree = 1;
    x.c[0] = cell_;
    x.c[1] = cell_ + WideInteger(1);
    y.c[0] = power_of_two(depth_) - x.c[0];
    y.c[1] = power_of_two(depth_) - x.c[1];
    BinaryForm result;  // Horner
    result.c[0] = whole.c[std::size_t(whole.degree)];
    BinaryForm power;
    power.c[0] = WideInteger(1);
    for (int i = whole.degree - 1; i >= 0; --i) {
        power = power * y;
        BinaryForm term;
        term.c[0] = whole.c[std::size_t(i)];
        result = result * x + term * power;
    }
    return result;
}

int AlgebraicTime::sign_at(const BinaryForm& whole) const {
    if (is_rational_) return whole.sign_at(x_, y_);
    const BinaryForm local = depth_ == 0 ? whole : restricted(whole);
    if (local.is_zero()) return 0;
    const BinaryForm q = local.stripped();
    if (q.variations() == 0) return q.c[0].sign();
    return q.degree == 1 ? sign_of_linear(q) : sign_of_quadratic(q);
}

int AlgebraicTime::sign_of_linear(const BinaryForm& q) const {
    // q's root gamma lies at x : y = |c0| : |c1|; the form's sign there says on which side of the time.
    const int s = form_.sign_at(q.c[0].magnitude(), q.c[1].magnitude());
    if (s == 0) return 0;
    return s == form_.sign_at_start() ? q.sign_at_end() : q.sign_at_start();
}

int AlgebraicTime::sign_of_quadratic(const BinaryForm& q) const {
    const int start = q.sign_at_start(), end = q.sign_at_end();
    const int before = form_.sign_at_start();  // the form's sign before the time
    const bool two = q.variations() == 2;
    WideInteger x, y;   // the vertex of q, between its roots
    bool first = true;  // of two roots beta of q, that on the time's side of the vertex: the first?
    if (two) {
        const int d = discriminant(q).sign();
        if (d < 0) return start;
        x = q.c[1].magnitude();
        y = q.c[2].magnitude().shifted(1);
        const int s = form_.sign_at(x, y);
        if (s == 0) return d == 0 ? 0 : -start;
        if (d == 0) return start;
        first = s != before;
    }
    // The sign of the form at beta, which is that of a linear function, whose root is gamma.
    const LinearRemainder r = remainder(form_, q);
    const int r0 = r.r0.sign(), r1 = r.r1.sign();
    int at_beta = r0 != 0 ? r0 : r1;
    if (r0 * r1 < 0) {
        const WideInteger gx = r.r0.magnitude(), gy = r.r1.magnitude();
        const int s = q.sign_at(gx, gy);
        int gamma_side;  // of beta: -1 before it, 0 at it, 1 behind it
        if (!two) {
            gamma_side = s == 0 ? 0 : (s == start ? -1 : 1);
        } else {
            const int vertex_side = compare(gx * y, gy * x);
            if (first)
                gamma_side = vertex_side >= 0 ? 1 : (s == 0 ? 0 : (s == start ? -1 : 1));
            else
                gamma_side = vertex_side <= 0 ? -1 : (s == 0 ? 0 : (s == start ? 1 : -1));
        }
        at_beta = gamma_side == 0 ? 0 : (gamma_side < 0 ? r1 : r0);
    }
    if (at_beta == 0) return 0;  // beta is the time itself
    const bool beta_before = at_beta == before;
    if (!two) return beta_before ? end : start;
    return beta_before == first ? -start : start;
}

std::int64_t AlgebraicTime::grid_floor() const {
    std::int64_t k = 0;
    if (is_rational_) {  // the largest k with k (x + y) <= 2^grid_bits x
        const WideInteger sum = x_ + y_, scaled = x_.shifted(grid_bits);
        for (std::int64_t bit = std::int64_t(1) << grid_bits; bit > 0; bit >>= 1)
            if (compare(WideInteger(k + bit) * sum, scaled) <= 0) k += bit;
        return k;
    }
    // The form changes sign at the time: it still has the first sign where k is not above it.
    const WideInteger size = power_of_two(depth_);
    const int before = form_.sign_at_start();
    for (std::int64_t bit = std::int64_t(1) << (grid_bits - 1); bit > 0; bit >>= 1) {
        // (k + bit) / 2^grid_bits is X : Y in the cell
        const WideInteger at = WideInteger(k + bit) * size;
        const WideInteger x = at - cell_.shifted(grid_bits);
        const WideInteger y = (cell_ + WideInteger(1)).shifted(grid_bits) - at;
        if (x.sign() <= 0 || (y.sign() > 0 && form_.sign_at(x, y) != -before)) k += bit;
    }
    return k;
}

RootList roots_inside(const BinaryForm& whole) {
    RootList roots;
    const BinaryForm form = whole.stripped();
    const int variations = form.variations();
    const WideInteger cell;
    if (variations == 0) return roots;
    if (has_single_root(form)) {
        roots.root[0] = AlgebraicTime::root(form, 0, cell);
        roots.count = 1;
        return roots;
    }
    const int d = discriminant(form).sign();
    if (form.degree == 2) {
        if (d == 0) add_if_inside(-form.c[1], form.c[2].shifted(1), roots);
        if (d > 0) split_real_roots(form, 0, cell, roots);
        return roots;
    }
    if (d == 0) multiple_roots(form, roots);
    if (d > 0) split_real_roots(form, 0, cell, roots);
    if (d < 0 && variations == 3) {  // one real root
        roots.root[0] = AlgebraicTime::root(form, 0, cell);
        roots.count = 1;
    }
    return roots;
}

}  // namespace taffeta::contact

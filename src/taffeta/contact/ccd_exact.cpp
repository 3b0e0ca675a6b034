#include "taffeta/contact/ccd_exact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taffeta/base/error.h"
#include "taffeta/contact/algebraic_time.h"

namespace taffeta::contact {

namespace {

/// A double as mantissa 2^exponent, the mantissa odd or zero.
struct Dyadic {
    std::int64_t mantissa = 0;
    int exponent = 0;
};

Dyadic dyadic(double value) {
    if (!std::isfinite(value))
        fail_input("continuous collision detection", "a coordinate is not finite");
    if (value == 0) return {};
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    std::int64_t mantissa = std::int64_t(std::ldexp(fraction, 53));
    exponent -= 53;
    while (mantissa % 2 == 0) {
        mantissa /= 2;
        ++exponent;
    }
    return {mantissa, exponent};
}

/// The polynomials whose signs decide.
struct Polynomials {
    bool faces;  ///< vertex and face
    BinaryForm coplanar;
    /// By axis, then: vertex and face w1 x w2, w2 x w3, w3 x w1; edges w1 x w2, w1 x w3, w2 x w3 and
    /// the fourth.
    std::array<std::array<BinaryForm, 4>, 3> side;
    int sides;
    /// By axis, then each point of the one side from each of the other: w1, w2, w3, or w2, w3, w2 - w1,
    /// w3 - w1.
    std::array<std::array<BinaryForm, 4>, 3> gap;
    int gaps;
};

/// The same for all, exactly: each axis has its own unit, a power of two, which changes no sign.
Polynomials make_polynomials(const CcdQuery& query) {
    std::array<std::array<BinaryForm, 3>, 3> w;  // [i - 1][axis]
    for (int axis = 0; axis < 3; ++axis) {
        std::array<Dyadic, 8> value;
        int unit = std::numeric_limits<int>::max();
        for (std::size_t i = 0; i < 4; ++i) {
            value[i] = dyadic(query.start[i][axis]);
            value[4 + i] = dyadic(query.end[i][axis]);
        }
        for (const Dyadic& v : value)
            if (v.mantissa != 0) unit = std::min(unit, v.exponent);
        std::array<WideInteger, 8> x;
        for (std::size_t i = 0; i < 8; ++i)
            if (value[i].mantissa != 0)
                x[i] = WideInteger(value[i].mantissa, unsigned(value[i].exponent - unit));
        for (std::size_t i = 1; i < 4; ++i) {
            BinaryForm& form = w[i - 1][std::size_t(axis)];
            form.degree = 1;
            form.c[0] = x[i] - x[0];
            form.c[1] = x[4 + i] - x[4];
        }
    }
    Polynomials all;
    all.faces = query.kind == CcdKind::vertex_face;
    all.sides = all.faces ? 3 : 4;
    all.gaps = all.sides;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
        const auto cross = [&](std::size_t i, std::size_t j) {
            return w[i][u] * w[j][v] - w[i][v] * w[j][u];
        };
        auto& side = all.side[axis];
        auto& gap = all.gap[axis];
        const BinaryForm across = cross(1, 2);
        const BinaryForm volume = w[0][axis] * across;
        all.coplanar = axis == 0 ? volume : all.coplanar + volume;
        side[0] = cross(0, 1);
        if (all.faces) {
            side[1] = across;
            side[2] = cross(2, 0);
            gap = {w[0][axis], w[1][axis], w[2][axis], {}};
        } else {
            side[1] = cross(0, 2);
            side[2] = across;
            side[3] = across + side[0] - side[1];
            gap = {w[1][axis], w[2][axis], w[1][axis] - w[0][axis], w[2][axis] - w[0][axis]};
        }
    }
    return all;
}

/// Whether the points, which are in one plane at that time, touch. `sign(form)` is the form's sign
/// there.
template <class Sign>
bool touch_at(const Polynomials& all, const Sign& sign) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const int first = sign(all.gap[axis][0]);
        bool apart = first != 0;
        for (std::size_t k = 1; apart && k < std::size_t(all.gaps); ++k)
            apart = sign(all.gap[axis][k]) == first;
        if (apart) return false;
    }
    for (const auto& side : all.side) {
        if (all.faces) {
            int low = 0, high = 0;
            for (std::size_t k = 0; k < 3; ++k) {
                const int s = sign(side[k]);
                low = std::min(low, s);
                high = std::max(high, s);
            }
            if (low < 0 && high > 0) return false;
        } else {
            const int s0 = sign(side[0]);
            if (s0 != 0 && s0 == sign(side[1])) return false;
            const int s2 = sign(side[2]);
            if (s2 != 0 && s2 == sign(side[3])) return false;
        }
    }
    return true;
}

/// Calls `found(time on the grid)` at touching times until it returns true; whether it did. Times
/// ascend when the cubic is not identically zero.
template <class Found>
bool visit(const Polynomials& all, const Found& found) {
    const auto at_start = [](const BinaryForm& form) { return form.sign_at_start(); };
    const auto at_end = [](const BinaryForm& form) { return form.sign_at_end(); };
    const auto at_roots = [&](const BinaryForm& form) {
        const RootList roots = roots_inside(form);
        for (int k = 0; k < roots.count; ++k) {
            const AlgebraicTime& time = roots.root[std::size_t(k)];
            if (touch_at(all, [&](const BinaryForm& f) { return time.sign_at(f); }) &&
                found([&] { return time.grid_floor(); }))
                return true;
        }
        return false;
    };
    const std::int64_t whole = std::int64_t(1) << AlgebraicTime::grid_bits;
    if (all.coplanar.sign_at_start() == 0 && touch_at(all, at_start) &&
        found([] { return std::int64_t(0); }))
        return true;
    if (!all.coplanar.is_zero()) {
        if (at_roots(all.coplanar)) return true;
    } else {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (int k = 0; k < all.gaps; ++k) {
                const BinaryForm& gap = all.gap[axis][std::size_t(k)];
                if (!gap.is_zero() && at_roots(gap)) return true;
            }
            for (int k = 0; k < all.sides; ++k) {
                const BinaryForm& side = all.side[axis][std::size_t(k)];
                if (!side.is_zero() && at_roots(side)) return true;
            }
        }
    }
    return all.coplanar.sign_at_end() == 0 && touch_at(all, at_end) && found([&] { return whole; });
}

}  // namespace

bool touches_exactly(const CcdQuery& query) {
    return visit(make_polynomials(query), [](const auto&) { return true; });
}

std::optional<std::int64_t> first_contact_exactly(const CcdQuery& query) {
    const Polynomials all = make_polynomials(query);
    const bool ascending = !all.coplanar.is_zero();
    std::optional<std::int64_t> first;
    visit(all, [&](const auto& grid_time) {
        const std::int64_t time = grid_time();
        first = std::min(first.value_or(time), time);
        return ascending || time == 0;
    });
    return first;
}

}  // namespace taffeta::contact

#pragma once

#include <array>
#include <span>

#include "taffeta/energy/deformation.h"

/// The potential of the law `measured` and its derivatives by strain, in closed form.
///
/// With m = (G11 + G22)/2, h = (G11 - G22)/2 and r = |(h, G12)| the larger principal strain is e = m + r
/// and the cosine of twice its direction x = h/r. Over e^2 the forms of the tables depend on x and on
/// t = r/e alone,
///     G : D : G/(2 e^2) = (1 - t)^2 a(x) + t (1 - t) b(x) + t^2 c(x) = H(t, x),
/// polynomials of degree 4, 5 and 6, so that psi = G : C_0 : G/2 + S(e) H(t, x) with S = 2 e^2 sigma.
/// Derivatives of this product by (e, t, x) take tens of operations; those by (m, h, G12), and then by G11,
/// G22 and G12, follow from
///     de = dm + dr,  dr = x dh + y dG12,  dx = ((1 - x^2) dh - x y dG12)/r,  y = G12/r.
/// Why not forward differentiation of the formulas of the law? It carries ten numbers through each operation;
/// tests hold this against it (tests/energy/strain_jet.h).
namespace taffeta::energy {

/// An energy density and its derivatives by (G11, G22, G12); second ones 11, 12, 13, 22, 23, 33.
template <class Real>
struct StrainResponse {
    Real psi;
    std::array<Real, 3> d;
    std::array<Real, 6> dd;
};

class MeasuredPotential {
  public:
    /// Larger principal Green strain of the rows 1 to 5: (w^2 - 1)/2 at w = 7/6.
    static constexpr double table_strain = 13.0 / 72;
    /// Added to r^2, so that r has derivatives where the principal strains are equal.
    static constexpr double smallest_sq = 1e-18;

    /// Six rows of c11, c12, c22, c33 in N/m, as the option `stretching` of the law.
    explicit MeasuredPotential(std::span<const double> table);

    /// psi and its derivatives up to `order`; what is beyond has no value.
    template <class Real, int order>
    StrainResponse<Real> respond(const Deformation<Real>& F) const;

    /// 11, 12, 22 and 33 of C_0, N/m.
    const std::array<double, 4>& rest() const { return rest_; }

  private:
    /// A polynomial, lowest power first, and its derivatives up to `order`.
    template <int order, std::size_t size, class Real>
    static std::array<Real, 3> polynomial(const std::array<double, size>& p, const Real& x);

    std::array<double, 4> rest_;
    struct {
        double a, b, c, c2;
    } mean_;  ///< of D over direction: a, b x and c + c2 x^2
    struct {
        std::array<double, 5> a;
        std::array<double, 6> b;
        std::array<double, 7> c;
    } direction_;  ///< what is left of D
};

template <int order, std::size_t size, class Real>
std::array<Real, 3> MeasuredPotential::polynomial(const std::array<double, size>& p,
                                                  const Real& x) {
    Real f = broadcast<Real>(p[size - 1]), f1 = broadcast<Real>(0), f2 = f1;
    // Horner's rule; the first turns of the derivatives are constants.
    for (std::size_t k = size - 1; k-- > 0;) {
        if (order > 1 && k + 2 < size) f2 = k + 3 == size ? f1 : f2 * x + f1;
        if (order > 0) f1 = k + 2 == size ? f : f1 * x + f;
        f = f * x + p[k];
    }
    return {f, f1, 2.0 * f2};
}

template <class Real, int order>
StrainResponse<Real> MeasuredPotential::respond(const Deformation<Real>& F) const {
    const Real uu = dot(F.u, F.u), vv = dot(F.v, F.v);
    const Real G11 = 0.5 * uu - 0.5, G22 = 0.5 * vv - 0.5, G12 = 0.5 * dot(F.u, F.v);
    StrainResponse<Real> at;
    const Real S11 = rest_[0] * G11 + rest_[1] * G22, S22 = rest_[1] * G11 + rest_[2] * G22;
    const Real S12 = (4 * rest_[3]) * G12;
    at.psi = 0.5 * (S11 * G11 + S22 * G22 + S12 * G12);
    at.d = {S11, S22, S12};
    const Real zero = broadcast<Real>(0), one = broadcast<Real>(1);
    if constexpr (order == 2)
        at.dd = {broadcast<Real>(rest_[0]),
                 broadcast<Real>(rest_[1]),
                 zero,
                 broadcast<Real>(rest_[2]),
                 zero,
                 broadcast<Real>(4 * rest_[3])};

    const Real m = 0.25 * (uu + vv) - 0.5, h = 0.25 * (uu - vv), g_sq = G12 * G12 + smallest_sq;
    const Real r = square_root(h * h + g_sq), larger = m + r;
    const auto stretched = larger > zero;
    if (!any_lane(stretched)) return at;
    const Real e = select(stretched, larger, broadcast<Real>(table_strain));
    const Real by_r = 1.0 / r, by_e = 1.0 / e;
    const Real x = h * by_r, y = G12 * by_r, y_sq = g_sq * by_r * by_r;  // y_sq = 1 - x^2
    const Real t = r * by_e, n = 1.0 - t;

    // S = 2 e^2 sigma: S/e^2, S'/e and S''.
    const Real u = (1 / table_strain) * e, u_sq = u * u;
    const Real beyond = (table_strain * by_e) * (table_strain * by_e);
    const auto inside = u < one;
    const auto part = [&](const Real& within, const Real& after) {
        return select(stretched, select(inside, within, after), zero);
    };
    const Real S0 = part(u_sq * (1.5 - 0.8 * u), 1.0 - 0.3 * beyond);

    // H and its derivatives, which their indices name, of its part q without weight too.
    using Values = std::array<Real, 3>;
    const Values a = polynomial<order>(direction_.a, x), b = polynomial<order>(direction_.b, x),
                 c = polynomial<order>(direction_.c, x);
    const Real tt = t * t, nt = n * t, nn = n * n, two_t = t + t, turn = n - t;
    const auto combined = [&](std::size_t k) { return nn * a[k] + (nt * b[k] + tt * c[k]); };
    const auto along = [&](std::size_t k) { return turn * b[k] + two_t * c[k] - 2.0 * (n * a[k]); };
    // The weight of the direction: all once r is half of e, as in uniaxial tension.
    const auto fading = two_t < one;
    const Real w = select(fading, tt * (12.0 - 16.0 * t), one);
    const Real mean_c = mean_.c + mean_.c2 * (x * x);
    const Real q = combined(0);
    const Real H = nn * mean_.a + (mean_.b * (nt * x) + tt * mean_c) + w * q;
    at.psi = at.psi + (e * e) * (S0 * H);
    if constexpr (order == 0) return at;

    const Real S1 = part(u_sq * (6.0 - 4.0 * u), broadcast<Real>(2));
    const Real w_t = select(fading, t * (24.0 - 48.0 * t), zero), q_t = along(0), q_x = combined(1);
    const Real H_t =
        turn * (mean_.b * x) + two_t * mean_c - (2 * mean_.a) * n + (w_t * q + w * q_t);
    const Real H_x = mean_.b * nt + (2 * mean_.c2) * (tt * x) + w * q_x;
    const Real by_t = e * by_r;
    {
        // By m, r and x (over r), then by h.
        const Real by_m = e * (S1 * H - S0 * (t * H_t));
        const Real by_radius = by_m + e * (S0 * H_t), by_turn = (e * by_t) * (S0 * H_x);
        const Real by_h = x * by_radius + y_sq * by_turn;
        at.d[0] = at.d[0] + 0.5 * (by_m + by_h);
        at.d[1] = at.d[1] + 0.5 * (by_m - by_h);
        at.d[2] = at.d[2] + y * (by_radius - x * by_turn);
    }
    if constexpr (order == 1) return at;

    const Real S2 = part(u_sq * (18.0 - 16.0 * u), broadcast<Real>(2));
    const Real w_tt = select(fading, 24.0 - 96.0 * t, zero), q_tt = 2.0 * (a[0] - b[0] + c[0]);
    const Real H_tt =
        2.0 * (mean_.a - mean_.b * x + mean_c) + (w_tt * q + 2.0 * (w_t * q_t) + w * q_tt);
    const Real H_tx = mean_.b * turn + (2 * mean_.c2) * (two_t * x) + (w_t * q_x + w * along(1));
    const Real H_xx = (2 * mean_.c2) * tt + w * combined(2);

    // Of psi by (m, r, x): those by x over r or its square, R and X the first ones by r and x so.
    const Real ee = S2 * H - 2.0 * (S1 * (t * H_t)) + S0 * (t * (t * H_tt + 2.0 * H_t));
    const Real mr = ee + (S1 * H_t - S0 * (t * H_tt + H_t));
    const Real rr = mr + (mr - ee) + S0 * H_tt;
    const Real mx = S1 * (H_x * by_t) - S0 * H_tx, rx = mx + S0 * (H_tx * by_t);
    const Real over = S0 * by_t * by_t, xx = over * H_xx, X = over * H_x;
    const Real R = by_t * (S0 * (n * H_t) + S1 * H);
    // By (m, h, G12), and added by (G11, G22, G12).
    const Real x_sq = x * x;
    const Real mh = x * mr + y_sq * mx, mg = y * (mr - x * mx);
    const Real hh = x_sq * rr + y_sq * (2.0 * (x * rx) + y_sq * xx + R - 3.0 * (x * X));
    const Real hg = y * (x * (rr - R - y_sq * xx) + (y_sq - x_sq) * rx + (3.0 * x_sq - 1.0) * X);
    const Real gg = (y * y) * (rr - R - 2.0 * (x * rx) + x_sq * xx + 3.0 * (x * X)) + R - x * X;
    at.dd[0] = at.dd[0] + 0.25 * (ee + hh) + 0.5 * mh;
    at.dd[1] = at.dd[1] + 0.25 * (ee - hh);
    at.dd[2] = 0.5 * (mg + hg);
    at.dd[3] = at.dd[3] + 0.25 * (ee + hh) - 0.5 * mh;
    at.dd[4] = 0.5 * (mg - hg);
    at.dd[5] = at.dd[5] + gg;
    return at;
}

}  // namespace taffeta::energy

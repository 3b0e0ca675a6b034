#pragma once

#include <numbers>

#include "taffeta/energy/lanes.h"

namespace taffeta::energy {

/// Angle of the point (cosine, sine), which need not be normalised: atan2, in (-pi, pi].
inline double angle_of(double sine, double cosine) {
    return std::atan2(sine, cosine);
}

/// The same for four lanes, to about one unit in the last place.
///
/// The argument is reduced to |t| <= tan(pi/8) by atan t = pi/4 + atan((t - 1)/(t + 1)), with one
/// division for both; there atan t = t + t^3 p(t^2), p the Chebyshev interpolant of degree 10, whose
/// error is 6e-18 of the angle.
inline Pack angle_of(Pack sine, Pack cosine) {
    const Pack y = select(sine < 0.0, -sine, sine), x = select(cosine < 0.0, -cosine, cosine);
    // In this order a sine that is not a number stays so.
    const Pack high = select(x > y, x, y), low = select(x < y, x, y);
    const auto steep = low > (std::numbers::sqrt2 - 1) * high;
    const Pack denominator = select(steep, low + high, high);
    const Pack t = select(steep, low - high, low) /
                   select(denominator == 0.0, broadcast<Pack>(1), denominator);
    const Pack s = t * t;
    Pack p = broadcast<Pack>(-0.01917688711906226);
    for (const double coefficient :
         {0.03923165829558719, -0.0508544973794026, 0.0585814891280221, -0.06664511447381948,
          0.07692183190826087, -0.09090904578123903, 0.11111111015256361, -0.14285714284666542,
          0.1999999999999552, -0.3333333333333333})
        p = p * s + coefficient;
    Pack angle = t + t * s * p;
    angle = select(steep, std::numbers::pi / 4 + angle, angle);
    angle = select(y > x, std::numbers::pi / 2 - angle, angle);
    angle = select(cosine < 0.0, std::numbers::pi - angle, angle);
    return select(sine < 0.0, -angle, angle);
}

}  // namespace taffeta::energy

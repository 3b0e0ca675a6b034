#pragma once

#include <cmath>

/// The logarithmic barrier of a distance, and the friction that goes with it.      [Li2020]
///
///     b(d) = -k (d - r)^2 ln(d / r)   for 0 < d < r, else 0
///
/// twice continuously differentiable at the reach r, and without bound at 0: a minimisation that starts
/// with d > 0 and never steps across keeps d > 0. Here of the distance itself (m), with k in N/m, so
/// that b is an energy.
namespace taffeta::contact {

struct Barrier {
    double reach;      ///< r, m
    double stiffness;  ///< k, N/m

    double value(double d) const {
        return d < reach ? -stiffness * (d - reach) * (d - reach) * std::log(d / reach) : 0;
    }
    /// -b'(d) >= 0: how hard the two are pushed apart, N.
    double force(double d) const {
        if (d >= reach) return 0;
        return stiffness * (reach - d) * (reach / d - 1 - 2 * std::log(d / reach));
    }
    /// b''(d) >= 0, N/m.
    double curvature(double d) const {
        if (d >= reach) return 0;
        const double ratio = reach / d;
        return stiffness * ((ratio + 2) * ratio - 3 + 2 * std::log(ratio));
    }
};

/// Coulomb's law made smooth: friction over its bound, at slip speed s, rising from 0 to 1 at s =
/// `sticking`, over s: what a drag coefficient is multiplied by. [Li2020] eq. 14, f1(s) / s.
inline double smooth_slip(double s, double sticking) {
    return s < sticking ? (2 - s / sticking) / sticking : 1 / s;
}

/// What an edge-edge distance counts by, so that its gradient has no jump where edges become parallel:
/// 0 there, 1 from `sine2` = 1e-3 on. [Li2020] section 5.2, with the lengths as they are.
inline double parallel_mollifier(double sine2) {
    constexpr double threshold = 1e-3;
    const double c = sine2 / threshold;
    return c < 1 ? (2 - c) * c : 1;
}

}  // namespace taffeta::contact

#pragma once

#include <vector>

#include "taffeta/base/fields.h"

namespace taffeta::energy {

/// One harmonic of a wind: amplitude sin(2 pi frequency t + phase).
struct Gust {
    Vec3 amplitude = Vec3::Zero();  ///< m/s
    double frequency = 1;           ///< Hz
    double phase = 0;               ///< degrees

    static Fields<Gust> fields();
};

/// Air that turns about a line, Lamb's vortex: at a distance r from it the speed
/// circulation/(2 pi r) (1 - exp(-r^2/core^2)), solid inside the core and falling off outside; without
/// sources. The line may drift.                                                      [Lamb32] 334a
struct Vortex {
    Vec3 center = Vec3::Zero();    ///< a point of the line at time 0, m
    Vec3 axis = Vec3(0, 1, 0);     ///< of the line, of any length but zero
    double circulation = 1;        ///< m^2/s, right-handed about the axis
    double core = 0.2;             ///< m
    Vec3 velocity = Vec3::Zero();  ///< of the line, m/s

    static Fields<Vortex> fields();
    Vec3 at(double time, const Vec3& point) const;
};

/// A wind: a steady velocity and gusts, the same everywhere, and vortices.
struct Wind {
    Vec3 velocity = Vec3::Zero();  ///< m/s
    std::vector<Gust> gusts;
    std::vector<Vortex> vortices;

    static Fields<Wind> fields();
    Vec3 at(double time) const;  ///< what is the same everywhere, m/s at time (s)
    Vec3 at(double time, const Vec3& point) const;  ///< all of it
};

}  // namespace taffeta::energy

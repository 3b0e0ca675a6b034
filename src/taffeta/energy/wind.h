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

/// A wind that is the same everywhere: a steady velocity and gusts.
struct Wind {
    Vec3 velocity = Vec3::Zero();  ///< m/s
    std::vector<Gust> gusts;

    static Fields<Wind> fields();
    Vec3 at(double time) const;  ///< m/s at time (s)
};

}  // namespace taffeta::energy

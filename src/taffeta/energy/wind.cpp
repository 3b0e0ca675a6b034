#include "taffeta/energy/wind.h"

#include <cmath>
#include <numbers>

namespace taffeta::energy {

Fields<Gust> Gust::fields() {
    return {{"amplitude", &Gust::amplitude, "largest velocity, m/s"},
            {"frequency", &Gust::frequency, "Hz", at_least(0)},
            {"phase", &Gust::phase, "at time 0, degrees"}};
}

Fields<Wind> Wind::fields() {
    return {{"velocity", &Wind::velocity, "steady wind, m/s"},
            {"gusts", &Wind::gusts, "added to it: amplitude sin(2 pi frequency t + phase)"}};
}

Vec3 Wind::at(double time) const {
    Vec3 sum = velocity;
    for (const Gust& gust : gusts)
        sum += std::sin(2 * std::numbers::pi * gust.frequency * time +
                        gust.phase * std::numbers::pi / 180) *
               gust.amplitude;
    return sum;
}

}  // namespace taffeta::energy

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
            {"gusts", &Wind::gusts, "added to it: amplitude sin(2 pi frequency t + phase)"},
            {"vortices", &Wind::vortices, "added to it: air that turns about lines"}};
}

Fields<Vortex> Vortex::fields() {
    return {{"center", &Vortex::center, "a point of its line at time 0, m"},
            {"axis", &Vortex::axis, "direction of its line, of any length but zero"},
            {"circulation", &Vortex::circulation, "2 pi r times the speed far away, m^2/s"},
            {"core", &Vortex::core, "radius of its core, m", positive()},
            {"velocity", &Vortex::velocity, "of its line, m/s"}};
}

Vec3 Vortex::at(double time, const Vec3& point) const {
    const Vec3 direction = axis.normalized();
    const Vec3 turning =
        direction.cross(point - center - time * velocity);  // r times the speed's way
    const double r_sq = turning.squaredNorm(), q = r_sq / (core * core);
    // (1 - exp(-q))/r^2, which is 1/core^2 on the line
    const double factor = q > 1e-8 ? -std::expm1(-q) / r_sq : 1 / (core * core);
    return circulation / (2 * std::numbers::pi) * factor * turning;
}

Vec3 Wind::at(double time, const Vec3& point) const {
    Vec3 sum = at(time);
    for (const Vortex& vortex : vortices)
        sum += vortex.at(time, point);
    return sum;
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

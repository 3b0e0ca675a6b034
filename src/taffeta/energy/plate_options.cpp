#include "taffeta/energy/plate_options.h"

#include <fmt/format.h>

#include <cmath>

namespace taffeta::energy {

PlateStiffness PlateConstants::plate() const {
    PlateStiffness D = PlateStiffness::isotropic(stiffness, poisson);
    D.d11 = warp.value_or(stiffness);
    D.d22 = weft.value_or(stiffness);
    const double mean = std::sqrt(D.d11 * D.d22);
    D.d12 = coupling.value_or(poisson * mean);
    D.d33 = twist.value_or((1 - poisson) / 2 * mean);
    return D;
}

void PlateConstants::check(const Settings& settings) const {
    const PlateStiffness D = plate();
    if (D.d12 * D.d12 > D.d11 * D.d22)
        settings.fail(fmt::format("coupling {} N m is too large: its square must not exceed "
                                  "warp x weft = {} x {}",
                                  D.d12, D.d11, D.d22),
                      fmt::format("at most {:.6g}", std::sqrt(D.d11 * D.d22)));
}

void PlateConstants::add_springs(const BodyView& body, std::vector<EnergySpring>& springs) const {
    const PlateStiffness D = plate();
    const double bias = (D.d11 + D.d22 + 2 * D.d12) / 4 + D.d33;
    add_hinge_springs(body, {D.d11, D.d22, bias}, 1, tau, springs);
}

}  // namespace taffeta::energy

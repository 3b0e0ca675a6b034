#include "taffeta/energy/law_baraff_witkin.h"

#include <fmt/format.h>

#include "taffeta/energy/membrane.h"

namespace taffeta::energy {

Fields<BaraffWitkinOptions> BaraffWitkinOptions::fields() {
    using O = BaraffWitkinOptions;
    return {
        {"stretch_warp", &O::stretch_warp, "stretch stiffness k_u along the warp, N/m", positive()},
        {"stretch_weft", &O::stretch_weft, "stretch stiffness k_v along the weft, N/m", positive()},
        {"stretch_coupling", &O::stretch_coupling,
         "Poisson coupling k_uv of warp and weft, N/m; k_uv^2 <= k_u k_v"},
        {"shear", &O::shear, "shear stiffness k_sh, N/m", at_least(0)},
        {"rest_warp", &O::rest_warp, "stretch b_u at which the warp is at rest", positive()},
        {"rest_weft", &O::rest_weft, "stretch b_v at which the weft is at rest", positive()},
        {"tau_stretch", &O::tau_stretch, "damping of the stretch as a time, k_d = tau k, s",
         at_least(0)},
        {"tau_shear", &O::tau_shear, "damping of the shear as a time, k_d = tau k, s", at_least(0)},
        {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
    };
}

void BaraffWitkinOptions::check(const Settings& settings) const {
    if (stretch_coupling * stretch_coupling > stretch_warp * stretch_weft)
        settings.fail(
            fmt::format("stretch_coupling {} N/m is too large: its square must not exceed "
                        "stretch_warp x stretch_weft = {} x {}",
                        stretch_coupling, stretch_warp, stretch_weft),
            fmt::format("at most {:.6g}", std::sqrt(stretch_warp * stretch_weft)));
}

extern const EnergyEntry entry_baraff_witkin;
constinit const EnergyEntry entry_baraff_witkin{
    BaraffWitkin::key, "stretch and shear of Baraff and Witkin 1998 as densities of area",
    EnergyProperties{.conservative = true, .internal = true}, field_table<BaraffWitkinOptions>,
    make_membrane<BaraffWitkin>};

}  // namespace taffeta::energy

#include "taffeta/energy/law_stvk.h"

#include "taffeta/energy/membrane.h"

namespace taffeta::energy {

Fields<StVenantKirchhoffOptions> StVenantKirchhoffOptions::fields() {
    using O = StVenantKirchhoffOptions;
    return {
        {"young", &O::young, "Young's modulus, Pa", positive()},
        {"poisson", &O::poisson, "Poisson's ratio", between(-0.99, 0.99)},
        {"thickness", &O::thickness, "thickness of the sheet, m", positive()},
        {"tau", &O::tau, "damping as a time: stress tau c : dG/dt, s", at_least(0)},
        {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
    };
}

extern const EnergyEntry entry_stvk;
constinit const EnergyEntry entry_stvk{
    StVenantKirchhoff::key, "isotropic membrane of St. Venant and Kirchhoff",
    EnergyProperties{.conservative = true, .internal = true}, field_table<StVenantKirchhoffOptions>,
    make_membrane<StVenantKirchhoff>};

}  // namespace taffeta::energy

#include "taffeta/energy/law_neo_hookean.h"

#include "taffeta/energy/membrane.h"

namespace taffeta::energy {

Fields<NeoHookeanOptions> NeoHookeanOptions::fields() {
    using O = NeoHookeanOptions;
    return {
        {"young", &O::young, "Young's modulus, Pa", positive()},
        {"poisson", &O::poisson, "Poisson's ratio", between(-0.99, 0.99)},
        {"thickness", &O::thickness, "thickness of the sheet, m", positive()},
        {"tau", &O::tau, "damping as a time: stress tau c : dG/dt, s", at_least(0)},
        {"psd", &O::psd, psd_rule_doc, one_of(psd_rule_names())},
    };
}

extern const EnergyEntry entry_neo_hookean;
constinit const EnergyEntry entry_neo_hookean{
    NeoHookean::key,
    "isotropic neo-Hookean membrane: no triangle can be crushed to nothing; Newton's method with a "
    "line "
    "search needed for large compressions",
    EnergyProperties{.conservative = true, .internal = true}, field_table<NeoHookeanOptions>,
    make_membrane<NeoHookean>};

}  // namespace taffeta::energy

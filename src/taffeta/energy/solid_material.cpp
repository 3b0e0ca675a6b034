#include "taffeta/energy/solid_material.h"

namespace taffeta::energy {

Fields<SolidOptions> SolidOptions::fields() {
    return {
        {"young", &SolidOptions::young, "Young's modulus, Pa", positive()},
        {"poisson", &SolidOptions::poisson, "Poisson's ratio; near 0.5 linear tets lock",
         between(-0.99, 0.4999)},
        {"tau", &SolidOptions::tau,
         "damping as a time: stress tau (lambda tr(dG/dt) + 2 mu dG/dt) on Green's strain, s",
         at_least(0)},
        {"psd", &SolidOptions::psd,
         "indefinite part of the stiffness: automatic, clamp and gauss_newton all take the exact "
         "positive part; exact keeps it (for tests of derivatives; solvers may fail)",
         one_of(psd_rule_names())},
    };
}

}  // namespace taffeta::energy

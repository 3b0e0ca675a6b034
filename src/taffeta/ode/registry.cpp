#include "taffeta/ode/integrator.h"

namespace taffeta::ode {

#define TAFFETA_ENTRY(name) extern const IntegratorEntry entry_##name;
#include "taffeta/ode/integrators.inc"
#undef TAFFETA_ENTRY

Registry<IntegratorEntry> integrators() {
    static constexpr const IntegratorEntry* table[] = {
#define TAFFETA_ENTRY(name) &entry_##name,
#include "taffeta/ode/integrators.inc"
#undef TAFFETA_ENTRY
    };
    return table;
}

}  // namespace taffeta::ode

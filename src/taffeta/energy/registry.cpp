#include "taffeta/energy/energy.h"
#include "taffeta/energy/strain_projection.h"

namespace taffeta::energy {

#define TAFFETA_ENTRY(key) extern const EnergyEntry entry_##key;
#include "taffeta/energy/bending.inc"
#include "taffeta/energy/laws.inc"
#include "taffeta/energy/limits.inc"
#include "taffeta/energy/loads.inc"
#include "taffeta/energy/solids.inc"
#undef TAFFETA_ENTRY
#define TAFFETA_ENTRY(key) extern const StrainProjectionEntry entry_##key;
#include "taffeta/energy/projections.inc"
#undef TAFFETA_ENTRY

#define TAFFETA_ENTRY(key) &entry_##key,

Registry<EnergyEntry> membrane_laws() {
    static constexpr const EnergyEntry* table[] = {
#include "taffeta/energy/laws.inc"
    };
    return table;
}

Registry<EnergyEntry> bending_terms() {
    static constexpr const EnergyEntry* table[] = {
#include "taffeta/energy/bending.inc"
    };
    return table;
}

Registry<EnergyEntry> solid_laws() {
    static constexpr const EnergyEntry* table[] = {
#include "taffeta/energy/solids.inc"
    };
    return table;
}

Registry<EnergyEntry> strain_limits() {
    static constexpr const EnergyEntry* table[] = {
#include "taffeta/energy/limits.inc"
    };
    return table;
}

Registry<StrainProjectionEntry> strain_projections() {
    static constexpr const StrainProjectionEntry* table[] = {
#include "taffeta/energy/projections.inc"
    };
    return table;
}

Registry<EnergyEntry> load_terms() {
    static constexpr const EnergyEntry* table[] = {
#include "taffeta/energy/loads.inc"
    };
    return table;
}

}  // namespace taffeta::energy

#include "taffeta/energy/law_stable_neo_hookean.h"
#include "taffeta/energy/solid.h"

namespace taffeta::energy {

namespace {

struct NeoHookeanSolid : StableNeoHookean<true> {
    static constexpr std::string_view key = "neo_hookean";
    using StableNeoHookean<true>::StableNeoHookean;
};

}  // namespace

extern const EnergyEntry entry_solid_neo_hookean;
constinit const EnergyEntry entry_solid_neo_hookean{
    NeoHookeanSolid::key,
    "stable neo-Hookean with a logarithm: keeps its volume and recovers from any state; the choice "
    "for flesh and rubber",
    EnergyProperties{.conservative = true, .internal = true}, field_table<SolidOptions>,
    make_solid<NeoHookeanSolid>};

}  // namespace taffeta::energy

#include "taffeta/energy/law_stable_neo_hookean.h"
#include "taffeta/energy/solid.h"

namespace taffeta::energy {

namespace {

struct PlainNeoHookeanSolid : StableNeoHookean<false> {
    static constexpr std::string_view key = "neo_hookean_plain";
    using StableNeoHookean<false>::StableNeoHookean;
};

}  // namespace

extern const EnergyEntry entry_solid_neo_hookean_plain;
constinit const EnergyEntry entry_solid_neo_hookean_plain{
    PlainNeoHookeanSolid::key,
    "stable neo-Hookean without a logarithm: cheaper; a tet crushed to a point stays there",
    EnergyProperties{.conservative = true, .internal = true}, field_table<SolidOptions>,
    make_solid<PlainNeoHookeanSolid>};

}  // namespace taffeta::energy

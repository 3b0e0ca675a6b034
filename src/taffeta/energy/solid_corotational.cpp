#include "taffeta/energy/law_corotational.h"
#include "taffeta/energy/solid.h"

namespace taffeta::energy {

namespace {

struct CorotationalSolid : Corotational {
    static constexpr std::string_view key = "corotational";
    explicit CorotationalSolid(const SolidOptions& options)
        : Corotational{options.mu(), options.lambda()} {}
};

}  // namespace

extern const EnergyEntry entry_solid_corotational;
constinit const EnergyEntry entry_solid_corotational{
    CorotationalSolid::key, "corotational: linear elasticity in the frame of the nearest rotation",
    EnergyProperties{.conservative = true, .internal = true}, field_table<SolidOptions>,
    make_solid<CorotationalSolid>};

}  // namespace taffeta::energy

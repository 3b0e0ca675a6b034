#include "taffeta/energy/law_corotational.h"
#include "taffeta/energy/solid.h"

namespace taffeta::energy {

namespace {

struct ArapSolid : Corotational {
    static constexpr std::string_view key = "arap";
    explicit ArapSolid(const SolidOptions& options) : Corotational{options.mu(), 0} {}
};

}  // namespace

extern const EnergyEntry entry_solid_arap;
constinit const EnergyEntry entry_solid_arap{
    ArapSolid::key,
    "as rigid as possible, mu |F - R|^2: does not resist changes of volume beyond that (lambda = "
    "0)",
    EnergyProperties{.conservative = true, .internal = true}, field_table<SolidOptions>,
    make_solid<ArapSolid>};

}  // namespace taffeta::energy

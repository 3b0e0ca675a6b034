#include <array>

#include "taffeta/contact/contact_model.h"
#include "taffeta/contact/obstacle.h"

namespace taffeta::contact {

#define TAFFETA_ENTRY(key) extern const ObstacleEntry entry_##key;
#include "taffeta/contact/obstacles.inc"
#undef TAFFETA_ENTRY

Registry<ObstacleEntry> obstacles() {
    static constexpr auto table = std::to_array<const ObstacleEntry*>({
#define TAFFETA_ENTRY(key) &entry_##key,
#include "taffeta/contact/obstacles.inc"
#undef TAFFETA_ENTRY
    });
    return table;
}

#define TAFFETA_ENTRY(key) extern const ContactModelEntry entry_##key;
#include "taffeta/contact/contact_models.inc"
#undef TAFFETA_ENTRY

Registry<ContactModelEntry> contact_models() {
    static constexpr auto table = std::to_array<const ContactModelEntry*>({
#define TAFFETA_ENTRY(key) &entry_##key,
#include "taffeta/contact/contact_models.inc"
#undef TAFFETA_ENTRY
    });
    return table;
}

}  // namespace taffeta::contact

#include "taffeta/base/registry.h"

#include <fmt/format.h>

namespace taffeta {

void fail_unknown_entry(const Settings& value, std::string_view kind, std::string_view key,
                        const std::vector<std::string>& known) {
    const std::string near = nearest(key, known);
    value.fail(fmt::format("unknown {} '{}'", kind, escaped(std::string(key))),
               near.empty() ? fmt::format("known: {}", joined(known))
                            : fmt::format("did you mean '{}'?", near));
}

}  // namespace taffeta

#pragma once

#include <string_view>

#include "taffeta/base/settings.h"

namespace taffeta {

/// Settings from one line of text, for callers that have no JSON:
///
///     preconditioner=sa preconditioner.aggregate_size=8 tolerance=1e-6
///
/// `key=value` pairs between blanks, commas or semicolons; a dotted key is a member of an object,
/// and a word given to the object itself is its `type`. A value is a number, true, false, or else
/// a word. Every value remembers its column for messages, in a "file" called `name`. Throws bad
/// input at a pair without `=`, an empty key or value, and a key that is there twice.
Settings settings_from_text(std::string_view text, std::string_view name = "options");

}  // namespace taffeta

#pragma once

#include <string>

#include "taffeta/base/settings.h"

namespace taffeta::scene {

/// Checks a value against the part of JSON Schema that `scene_schema` uses. Returns the first
/// disagreement as `path: what`, empty when there is none. For tests: small and obvious.
std::string schema_problem(const Settings& schema, const Settings& value, const Settings& root,
                           const std::string& path = "");

}  // namespace taffeta::scene

#pragma once

#include <string>

#include "taffeta/base/settings.h"

/// Descriptions of the scene format, made from the same tables that read it.
namespace taffeta::scene {

/// A JSON Schema (2020-12) of scene files, for completion and checks in editors.
Settings scene_schema();

/// The reference of the scene format in Markdown: a table for every object and every registered
/// choice.
std::string scene_format_markdown();

}  // namespace taffeta::scene

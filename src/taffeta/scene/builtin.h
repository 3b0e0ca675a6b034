#pragma once

#include <string>
#include <vector>

#include "taffeta/base/settings.h"

/// Scenes that need no file, at any resolution.
namespace taffeta::scene {

struct BuiltinOptions {
    int vertices = 0;          ///< wanted; 0: the scene's own number
    std::string tessellation;  ///< regular, alternating, irregular; empty: its own
};

struct BuiltinScene {
    Settings settings;
    int vertices = 0;  ///< that the cloth has: the possible number nearest to the wanted one
};

const std::vector<std::string>& builtin_names();
bool is_builtin(const std::string& name);
std::string builtin_doc(const std::string& name);

/// Throws bad input for unknown names, and for numbers of vertices that no mesh can have.
BuiltinScene builtin_scene(const std::string& name, const BuiltinOptions& options);

}  // namespace taffeta::scene

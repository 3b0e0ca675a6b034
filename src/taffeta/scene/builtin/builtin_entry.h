#pragma once

#include <string>

#include "taffeta/base/settings.h"

namespace taffeta::scene {

/// One built-in scene: its text at its own size, and how its meshes follow the number of vertices.
///
/// A new one is a file here that defines `constinit const BuiltinEntry builtin_<name>`, and one line
/// in scenes.inc.
struct BuiltinEntry {
    const char* key;
    const char* doc;   ///< a few words for `taffeta list scene`
    const char* text;  ///< the scene, JSON
    /// Sets the meshes to the possible number of vertices that is nearest to `wanted` (<= 0: the
    /// scene's own) and returns it.
    int (*resize)(Settings& scene, int wanted);
    /// Chooses how triangles lie in the meshes; null where there is no choice.
    void (*tessellate)(Settings& scene, const std::string& tessellation) = nullptr;
};

}  // namespace taffeta::scene

#pragma once

#include <string>
#include <vector>

#include "taffeta/base/settings.h"

/// Paths of values in a scene, such as `bodies[0].pins[1].box`.
namespace taffeta::scene {

/// A key of an object, or (with an empty key) an index of an array.
struct PathStep {
    std::string key;
    int index = 0;
};

/// Throws bad input, with `where` as the place, for what is no path.
std::vector<PathStep> parse_path(const std::string& path, const std::string& where = {});

/// The value under a path, or the last one on the way to it.
const Settings& follow_path(const Settings& root, const std::string& path);

}  // namespace taffeta::scene

#pragma once

#include <string>

namespace taffeta::app {

struct IntersectionOptions {
    std::string json;          ///< file for the whole list; empty: none
    std::string scene_folder;  ///< where the files of the run's scene are, when they have moved
    bool strict = false;       ///< crossings of the straight motion over several steps count
};

/// Audits the frames of a run: lists what intersects in a frame and what touches while all vertices
/// move straight from one frame to the next. True when something counts: an intersection, or a crossing
/// where the straight motion is what was simulated, because the run takes one step a frame. Over
/// several steps the way is not straight, so a crossing is a warning.
bool run_intersects(const std::string& directory, const IntersectionOptions& options);

/// The same for a mesh file, which has one frame.
bool mesh_intersects(const std::string& file, const IntersectionOptions& options);

}  // namespace taffeta::app

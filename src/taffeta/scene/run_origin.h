#pragma once

#include <filesystem>

#include "taffeta/scene/run_directory.h"
#include "taffeta/scene/scene_description.h"

/// Where the scene of a run came from. scene.json of a run is the scene with all defaults written
/// out, but the files that it names lie where the scene was: origin.json says where that is,
/// relative to the run, so both may move together.
namespace taffeta::scene {

void write_origin(const RunDirectory& run, const Scene& scene);

/// The scene of a run, which finds its files. `scene_folder`: where they are now, when they have
/// moved; empty: where origin.json says. Throws bad input as `load_scene` does.
Scene load_run_scene(const RunDirectory& run, const std::filesystem::path& scene_folder = {});

}  // namespace taffeta::scene

#pragma once

#include <filesystem>
#include <memory>

#include "taffeta/io/frame_reader.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/run_directory.h"

namespace taffeta::app {

/// The recorded frames of a body in the first format that can be read. Throws bad input where there
/// are none, or where they have another number of vertices than the scene's body.
std::unique_ptr<io::FrameReader> open_body_frames(const std::filesystem::path& folder,
                                                  const sim::Body& body);

/// The scene of a run, built. `scene_folder`: where the files that the scene names are now, when they
/// have moved since the run; empty: where the run says.
struct RunScene {
    scene::Scene scene;
    scene::BuiltScene built;
};
RunScene build_run_scene(const scene::RunDirectory& run, const std::filesystem::path& scene_folder);

}  // namespace taffeta::app

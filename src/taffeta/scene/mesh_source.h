#pragma once

#include <string>

#include "taffeta/base/error.h"
#include "taffeta/contact/obstacle.h"
#include "taffeta/mesh/tet_mesh.h"
#include "taffeta/scene/scene_description.h"

namespace taffeta::scene {

/// The mesh that `bodies[i].mesh` (or an obstacle's) describes, as it is: not scaled, not placed.
/// Generated cloth has the group `boundary`, and `cut` (the vertices of the two cut edges) for the
/// L-shape. `path` is that of the description, for messages.
mesh::TriMesh make_mesh(const Scene& scene, const std::string& path,
                        const MeshDescription& description, Diagnostics& diagnostics);

/// The tets of a soft body, likewise.
mesh::TetMesh make_tets(const Scene& scene, const std::string& path,
                        const MeshDescription& description, Diagnostics& diagnostics);

/// Reads a file that the scene names, under its rules.
mesh::TriMesh read_scene_mesh(const Scene& scene, const std::string& path, const std::string& file,
                              Diagnostics& diagnostics);

/// The frames of an animated obstacle, and the files that they come from. `path` is that of its shape.
contact::SurfaceFrames read_scene_frames(const Scene& scene, const std::string& path,
                                         const contact::Obstacle& obstacle,
                                         Diagnostics& diagnostics);
std::vector<std::filesystem::path> scene_frame_files(const Scene& scene, const std::string& path,
                                                     const contact::Obstacle& obstacle);

/// All files that a scene names: key path and name, in a fixed order.
std::vector<std::pair<std::string, std::string>> referenced_files(
    const SceneDescription& description);

}  // namespace taffeta::scene

#pragma once

#include <string>

#include "taffeta/base/error.h"
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

/// All files that a scene names: key path and name, in a fixed order.
std::vector<std::pair<std::string, std::string>> referenced_files(
    const SceneDescription& description);

}  // namespace taffeta::scene

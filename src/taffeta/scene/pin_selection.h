#pragma once

#include <string>
#include <vector>

#include "taffeta/mesh/topology.h"
#include "taffeta/scene/scene_description.h"

namespace taffeta::scene {

/// What a selector may look at: a body at the start.
struct SelectionTarget {
    const mesh::TriMesh& mesh;  ///< in the world
    const mesh::Topology& topology;
    const std::vector<Index>& vertex_map;  ///< input vertex -> vertex; empty when nothing changed
};

/// The vertices of a body that a pin holds, ascending, each once. Bad input at `path`: a vertex
/// that the mesh has not, an unknown group (with the nearest name), a selector that meets nothing.
std::vector<Index> select_vertices(const Scene& scene, const std::string& path,
                                   const PinDescription& pin, const SelectionTarget& target);

/// `scale` times the mean uv of every vertex over its faces; zero where there are none.
std::vector<Vec2> material_coordinates(const mesh::TriMesh& mesh, double scale);

}  // namespace taffeta::scene

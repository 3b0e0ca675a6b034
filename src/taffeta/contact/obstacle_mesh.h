#pragma once

#include "taffeta/contact/obstacle.h"

namespace taffeta::contact {

/// A solid bounded by a triangle mesh, in rigid motion. The mesh must be closed and consistently
/// wound (bad input otherwise, naming the edge); one that is inside out is turned, with a
/// diagnostic.
std::unique_ptr<Obstacle> make_mesh_obstacle(const mesh::TriMesh& closed, const Motion& motion,
                                             Diagnostics& diagnostics);

}  // namespace taffeta::contact

#pragma once

#include "taffeta/base/error.h"
#include "taffeta/scene/scene_description.h"
#include "taffeta/sim/simulation.h"

namespace taffeta::scene {

/// Everything that `sim::Simulation` needs, ready to run.
struct BuiltScene {
    sim::World world;
    sim::Tools tools;
    sim::TimeOptions time;
    Diagnostics diagnostics;                     ///< what was found or mended on the way
    std::vector<Vec3> obstacle_color;            ///< of world.obstacles
    std::vector<std::vector<Index>> vertex_map;  ///< per body, input vertex -> vertex, -1 dropped;
                                                 ///< empty where the repair changed nothing
};

/// Reads the meshes, validates and places them, binds the energies (per body membrane and bending,
/// then gravity, pressure and air), finds the pinned vertices and makes the tools.
///
/// Throws bad input that points at the scene's line: errors of the mesh doctor (unless
/// `repair` mends them), pins that meet nothing, vertices without mass.
BuiltScene build(const Scene& scene);

}  // namespace taffeta::scene

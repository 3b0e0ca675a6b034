#pragma once

#include "taffeta/contact/intersections.h"
#include "taffeta/scene/build.h"
#include "taffeta/scene/load.h"

/// What tests of whole scenes have in common.
namespace taffeta::scene {

inline sim::Simulation simulation_of(const Settings& settings) {
    BuiltScene built = build(load_settings(settings));
    return {std::move(built.world), std::move(built.tools), built.time};
}

/// The surfaces of all bodies, for the audit.
inline contact::Surfaces surfaces_of(const sim::World& world) {
    contact::Surfaces surfaces;
    for (const sim::Body& body : world.bodies)
        surfaces.add(body.mesh.vertex_count(), body.mesh.face, false);
    return surfaces;
}

}  // namespace taffeta::scene

#pragma once

#include <algorithm>

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

/// Speed of the fastest vertex, m/s.
inline double fastest(const sim::World& world) {
    double speed = 0;
    for (Index i = 0; i < world.vertex_count(); ++i)
        speed = std::max(speed, vec3(world.state.v, i).norm());
    return speed;
}

/// Of the cloth with itself and with the first obstacle, as they are now.
inline std::size_t intersections(const sim::World& world) {
    contact::Surfaces surfaces = surfaces_of(world);
    const mesh::TriMesh body = world.obstacles[0].shape->surface(world.state.t);
    surfaces.add(body.vertex_count(), body.face, true);
    VecX x(world.state.x.size() + 3 * body.vertex_count());
    x.head(world.state.x.size()) = world.state.x;
    for (Index i = 0; i < body.vertex_count(); ++i)
        vec3(x, world.vertex_count() + i) = body.position[std::size_t(i)];
    return contact::find_intersections(surfaces, x).size();
}

}  // namespace taffeta::scene

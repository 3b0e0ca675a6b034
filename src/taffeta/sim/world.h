#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taffeta/contact/contact_model.h"
#include "taffeta/energy/energy.h"
#include "taffeta/mesh/rest_shape.h"
#include "taffeta/ode/system.h"

namespace taffeta::sim {

/// One piece of cloth. Its vertices are [first_vertex, first_vertex + mesh.vertex_count()) of the
/// world's vectors, in the order of its file.
struct Body {
    std::string name;
    mesh::TriMesh mesh;  ///< initial positions in the world
    mesh::Topology topology;
    mesh::RestShape rest;
    Index first_vertex = 0;
    Vec3 color = Vec3(0.55, 0.62, 0.75);
};

/// Vertices held at targets that move rigidly: x_i(t) = pose(t) x_i(0), until `release_time`.
struct Pin {
    std::vector<Index> vertex;  ///< of the world
    contact::Motion motion;
    double release_time = -1;  ///< s; < 0: never
};

/// Everything that is simulated: data only.
struct World {
    std::vector<Body> bodies;
    VecX mass;                                              ///< per vertex (n), kg
    ode::State state;                                       ///< t, x, v
    VecX initial_x;                                         ///< for pin targets
    std::vector<std::unique_ptr<energy::Energy>> energies;  ///< bound, in a fixed order
    std::vector<contact::PlacedObstacle> obstacles;
    std::vector<Pin> pins;
    Vec3 gravity = Vec3(0, -9.81, 0);  ///< m/s^2, for the energy audit

    Index vertex_count() const { return Index(mass.size()); }
};

}  // namespace taffeta::sim

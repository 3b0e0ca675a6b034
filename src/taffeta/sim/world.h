#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taffeta/contact/contact_model.h"
#include "taffeta/energy/energy.h"
#include "taffeta/energy/strain_projection.h"
#include "taffeta/mesh/consistent_mass.h"
#include "taffeta/mesh/rest_shape.h"
#include "taffeta/ode/system.h"

namespace taffeta::sim {

/// One piece of cloth, or a soft body. Its vertices are [first_vertex, first_vertex + mesh.vertex_count()) of the
/// world's vectors, in the order of its file.
struct Body {
    std::string name;
    mesh::TriMesh
        mesh;  ///< initial positions in the world; of a soft body with its boundary as faces
    mesh::Topology topology;
    mesh::RestShape rest;
    mesh::TetMesh tets;        ///< of a soft body: its rest shape; without tets it is cloth
    std::vector<Index> shown;  ///< vertices that frames have, ascending; empty: all
    Index first_vertex = 0;
    Vec3 color = Vec3(0.55, 0.62, 0.75);

    bool soft() const { return !tets.tet.empty(); }
    Index shown_count() const { return shown.empty() ? mesh.vertex_count() : Index(shown.size()); }
};

/// The mesh of a body's frames: of a soft body its boundary alone.
mesh::TriMesh shown_mesh(const Body& body);
/// The part of a field over the world's vertices that the frames of a body have.
void shown_part(const Body& body, const VecX& field, VecX& part);

/// Vertices held at targets that move rigidly: x_i(t) = pose(t) x_i(0), until `release_time`.
struct Pin {
    std::vector<Index> vertex;  ///< of the world
    contact::Motion motion;
    double release_time = -1;  ///< s; < 0: never
};

/// Everything that is simulated: data only.
struct World {
    std::vector<Body> bodies;
    VecX mass;  ///< per vertex (n), kg
    /// The mass matrix where it is not the diagonal of `mass`, over the world's vertices; `mass` is then its
    /// row sums, of which weights and contact are made. Empty: lumped.
    std::vector<mesh::MassEntry> consistent_mass;
    ode::State state;                                       ///< t, x, v
    VecX initial_x;                                         ///< for pin targets
    std::vector<std::unique_ptr<energy::Energy>> energies;  ///< bound, in a fixed order
    std::vector<std::unique_ptr<energy::StrainProjection>> projections;  ///< bound, of bodies
    std::vector<contact::PlacedObstacle> obstacles;
    std::vector<Pin> pins;
    Vec3 gravity = Vec3(0, -9.81, 0);  ///< m/s^2, for the energy audit

    Index vertex_count() const { return Index(mass.size()); }
    /// What an energy is bound to.
    energy::BodyView view(const Body& body) const {
        return {body.mesh,
                body.topology,
                body.rest,
                std::span<const double>(mass.data() + body.first_vertex,
                                        std::size_t(body.mesh.vertex_count())),
                body.first_vertex,
                body.soft() ? &body.tets : nullptr};
    }
};

}  // namespace taffeta::sim

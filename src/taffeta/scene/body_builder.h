#pragma once

#include "taffeta/scene/build.h"

namespace taffeta::scene {

/// A body on its way into the world.
struct BuiltBody {
    sim::Body body;                                ///< first_vertex is set by the world
    std::vector<double> mass;                      ///< per vertex, kg; 0 where no face is
    std::vector<mesh::MassEntry> consistent_mass;  ///< over its own vertices; empty: lumped
    std::vector<Index> vertex_map;                 ///< as in BuiltScene
};

/// Mesh, topology, rest shape, masses and initial positions of body `number`.
BuiltBody build_body(const Scene& scene, std::size_t number, Diagnostics& diagnostics);

/// The same of a soft body; its rest shape is where it starts.
BuiltBody build_soft_body(const Scene& scene, std::size_t number, Diagnostics& diagnostics);

/// The mesh with the scene's jitter.
void add_jitter(const JitterDescription& jitter, mesh::TriMesh& mesh);

/// Adds findings but notes; throws the first error, at the scene's `path`, with the number of others.
void take_findings(const Scene& scene, const std::string& path, const Diagnostics& findings,
                   Diagnostics& diagnostics);

/// The mesh doctor's word: warnings go to `diagnostics`, errors are thrown, or mended (and
/// reported) when `repair`.
mesh::TriMesh checked_mesh(const Scene& scene, const std::string& path, mesh::TriMesh mesh,
                           bool repair, std::vector<Index>& vertex_map, Diagnostics& diagnostics);

}  // namespace taffeta::scene

#pragma once

#include "taffeta/mesh/tri_mesh.h"

/// Clothes sewn from flat panels, put on a person who stands on y = 0, looks along +z and spreads the
/// arms: what the obstacle `walker` of the same height is at its start.
///
/// Vertices along a seam are one; the corners of faces have the uv of their own panel, in m, v up. So
/// the rest shape is that of the panels, and the first positions, wrapped around the body, are within
/// a few per cent of it. Panels are cut in rows a little less than `edge` apart, and rows in pieces of
/// about `edge`; a row follows the next one's count, so triangles are of nearly one size.
namespace taffeta::mesh {

struct GarmentSize {
    double height = 1.75;  ///< of the person, m; all lengths scale with it
    double edge = 0.0095;  ///< about the length of the edges, m
};

/// A loose sleeveless tunic: front and back, sewn at the shoulders and the sides. Groups `shoulders`
/// and `hem`.
TriMesh tunic(const GarmentSize& size);

/// A flared skirt of six gores between waist and knees, narrower than the tunic where both hang.
/// Groups `waist` and `hem`.
TriMesh skirt(const GarmentSize& size);

/// Their numbers of vertices, without making them.
Index tunic_vertices(const GarmentSize& size);
Index skirt_vertices(const GarmentSize& size);

}  // namespace taffeta::mesh

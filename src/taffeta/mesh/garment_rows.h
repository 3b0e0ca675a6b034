#pragma once

#include <vector>

#include "taffeta/mesh/garment.h"

namespace taffeta::mesh {

/// Points of a panel from left to right.
struct PanelRow {
    std::vector<Index> vertex;
    std::vector<Index> uv;
};

/// Fills the strip between two rows of a panel with triangles, counter-clockwise in uv: from left to
/// right, the shorter diagonal next. Rows may have different numbers of points.
void fill_strip(const PanelRow& upper, const PanelRow& lower, TriMesh& mesh);

/// Pieces of about `edge` in a length, at least one.
Index pieces(double length, double edge);
/// Rows this far apart make triangles with sides of about the length of the edge.
constexpr double row_distance = 0.87;

/// Bad input unless both are positive and the mesh has a size that can be made.
void check_garment(const GarmentSize& size);

/// Lengths of the patterns are for a person of this height, m.
constexpr double pattern_height = 1.75;

}  // namespace taffeta::mesh

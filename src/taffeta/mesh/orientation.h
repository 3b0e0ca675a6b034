#pragma once

#include <vector>

#include "taffeta/mesh/half_edges.h"

namespace taffeta::mesh {

/// Connected parts of a mesh (faces across edges with exactly two faces) and how their faces are
/// wound against each other.
struct Orientation {
    struct Part {
        Index first_face = 0;
        Index faces = 0;
        bool closed = true;      ///< every edge has two faces
        bool orientable = true;  ///< false for a Moebius strip: no winding is consistent
        Index turned = 0;        ///< faces against the majority
        double volume = 0;       ///< m^3, signed, when all run with the majority; 0 if not closed
        Vec3 low = Vec3::Zero(), high = Vec3::Zero();  ///< bounding box, m
    };
    std::vector<Part> part;
    std::vector<Index> part_of;  ///< #F
    std::vector<char> turned;    ///< #F, 1 where a face runs against the majority of its part
};

/// Linear time. In a tie the first face of the part decides.
Orientation find_orientation(const std::vector<Vec3>& position, const std::vector<Triangle>& face,
                             const HalfEdges& half_edges);

/// Parts that are closed and inside out. A part with negative volume inside the box of the largest
/// closed one counts as a cavity and is right as it is.
std::vector<Index> inverted_parts(const Orientation& orientation);

}  // namespace taffeta::mesh

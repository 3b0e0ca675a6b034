#pragma once

#include <array>
#include <vector>

#include "taffeta/mesh/topology.h"

namespace taffeta::mesh {

/// The pieces of a uv map: faces that share an edge whose two ends have the same uv on both sides.
struct Charts {
    std::vector<Index> of_face;  ///< #F, numbered by the first face
    Index count = 0;
};

/// Compared by value, not by index: many exporters write every corner's uv anew. Edges count
/// whichever way their faces run; edges with more than two faces separate.
Charts uv_charts(const Topology& topology, const std::vector<std::array<Vec2, 3>>& face_uv);

/// Components of the faces under `link(f, k)`: the face across the edge opposite corner k of face
/// f, or -1.
template <class Link>
Charts face_components(Index face_count, const Link& link) {
    Charts components;
    components.of_face.assign(std::size_t(face_count), -1);
    std::vector<Index> front;
    for (Index seed = 0; seed < face_count; ++seed) {
        if (components.of_face[std::size_t(seed)] >= 0) continue;
        components.of_face[std::size_t(seed)] = components.count;
        front.assign(1, seed);
        while (!front.empty()) {
            const Index f = front.back();
            front.pop_back();
            for (Index k = 0; k < 3; ++k) {
                const Index g = link(f, k);
                if (g < 0 || components.of_face[std::size_t(g)] >= 0) continue;
                components.of_face[std::size_t(g)] = components.count;
                front.push_back(g);
            }
        }
        ++components.count;
    }
    return components;
}

}  // namespace taffeta::mesh

#pragma once

#include <map>
#include <string>
#include <vector>

#include "taffeta/base/types.h"

namespace taffeta::mesh {

/// A vertex that is sewn to the point (1 - part) start + part end of a seam.
struct Stitch {
    Index vertex, start, end;
    double part;

    bool operator==(const Stitch&) const = default;
};

/// A triangle mesh as a file or a generator gives it. Vertex order is never changed: vertex i of
/// the input is vertex i of every frame.
struct TriMesh {
    std::vector<Vec3> position;     ///< #V, m
    std::vector<Triangle> face;     ///< #F
    std::vector<Vec2> uv;           ///< #UV material or texture coordinates; may be empty
    std::vector<Triangle> face_uv;  ///< #F indices into uv, or empty
    std::map<std::string, std::vector<Index>> group;  ///< vertices of each named group (OBJ g, o)
    std::vector<Edge> loose_edge;                     ///< edges that belong to no face (OBJ l)
    std::vector<Stitch> stitch;                       ///< what is sewn together (OBJ stitch)

    /// Where it came from, for messages: the file, and the line of every face and vertex (empty
    /// when generated, or when the file has no lines).
    std::string source;
    std::vector<int> face_line;
    std::vector<int> position_line;

    Index vertex_count() const { return Index(position.size()); }
    Index face_count() const { return Index(face.size()); }
};

}  // namespace taffeta::mesh

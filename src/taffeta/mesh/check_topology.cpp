#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "taffeta/mesh/checks.h"
#include "taffeta/mesh/half_edges.h"
#include "taffeta/mesh/orientation.h"
#include "taffeta/mesh/place.h"
#include "taffeta/mesh/t_junction.h"

namespace taffeta::mesh {

namespace {

/// The kept faces with their own half-edges; ids in messages go back to the mesh's.
struct Kept {
    const TriMesh& mesh;
    const std::vector<Index>& id;
    std::vector<Triangle> face;
    HalfEdges half_edges;

    Kept(const TriMesh& whole, const std::vector<Index>& kept) : mesh(whole), id(kept) {
        face.reserve(kept.size());
        for (const Index f : kept)
            face.push_back(whole.face[std::size_t(f)]);
        half_edges = make_half_edges(face, whole.vertex_count());
    }

    std::vector<Index> faces_of_edge(Index e) const {
        std::vector<Index> faces;
        for (const Index h : half_edges.of_edge(e))
            faces.push_back(id[std::size_t(half_edge_face(h))]);
        return faces;
    }
};

void check_edges(const Kept& kept, Diagnostics& found) {
    std::size_t count = 0;
    Index first = -1;
    for (Index e = 0; e < Index(kept.half_edges.edge.size()); ++e) {
        if (kept.half_edges.of_edge(e).size() <= 2) continue;
        if (count++ == 0) first = e;
    }
    if (count == 0) return;
    const Edge& edge = kept.half_edges.edge[std::size_t(first)];
    const std::vector<Index> faces = kept.faces_of_edge(first);
    found.push_back(
        {Severity::warning, face_place(kept.mesh, faces[0]),
         fmt::format("{} more than two faces (non-manifold): edge {}-{} has faces {}",
                     counted(count, "edge has", "edges have"), edge[0], edge[1], first_of(faces)),
         "kept, without bending there"});
}

/// A vertex is a bow-tie when its corners fall into more than one fan (corners are linked by the
/// edges that they share).
void check_vertices(const Kept& kept, Diagnostics& found) {
    std::vector<Index> parent(3 * kept.face.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](Index c) {
        while (parent[std::size_t(c)] != c)
            c = parent[std::size_t(c)] = parent[std::size_t(parent[std::size_t(c)])];
        return c;
    };
    const auto corner_at = [&](Index h, Index vertex) {
        const Index f = half_edge_face(h);
        for (Index k = 0; k < 3; ++k)
            if (kept.face[std::size_t(f)][std::size_t(k)] == vertex) return 3 * f + k;
        return Index(-1);
    };
    for (Index e = 0; e < Index(kept.half_edges.edge.size()); ++e) {
        const auto fan = kept.half_edges.of_edge(e);
        for (std::size_t i = 1; i < fan.size(); ++i)
            for (const Index vertex : kept.half_edges.edge[std::size_t(e)]) {
                const Index a = root(corner_at(fan[0], vertex));
                const Index b = root(corner_at(fan[i], vertex));
                parent[std::size_t(std::max(a, b))] = std::min(a, b);
            }
    }

    std::vector<Index> fans(kept.mesh.position.size(), 0), ties;
    for (Index c = 0; c < Index(parent.size()); ++c)
        if (parent[std::size_t(c)] == c)
            ++fans[std::size_t(kept.face[std::size_t(c / 3)][std::size_t(c % 3)])];
    for (std::size_t v = 0; v < fans.size(); ++v)
        if (fans[v] > 1) ties.push_back(Index(v));
    if (!ties.empty())
        found.push_back({Severity::warning, vertex_place(kept.mesh, ties[0]),
                         fmt::format("{} fans of faces that share no edge (bow-tie): vertex {}; "
                                     "the first {} fans at {}",
                                     counted(ties.size(), "vertex joins", "vertices join"),
                                     first_of(ties), fans[std::size_t(ties[0])],
                                     point_text(kept.mesh.position[std::size_t(ties[0])])),
                         "kept; split the vertex if the parts should move apart"});
}

void check_winding(const Kept& kept, const Orientation& orientation, Diagnostics& found) {
    std::vector<Index> unorientable, turned;
    for (const Orientation::Part& part : orientation.part)
        if (!part.orientable) unorientable.push_back(kept.id[std::size_t(part.first_face)]);
    for (std::size_t f = 0; f < kept.face.size(); ++f) {
        const Orientation::Part& part = orientation.part[std::size_t(orientation.part_of[f])];
        if (orientation.turned[f] && part.orientable) turned.push_back(kept.id[f]);
    }
    if (!unorientable.empty())
        found.push_back({Severity::warning, face_place(kept.mesh, unorientable[0]),
                         fmt::format("{} no two sides (Moebius): the one of face {}",
                                     counted(unorientable.size(), "part has", "parts have"),
                                     first_of(unorientable)),
                         "kept, without bending where the winding changes"});
    if (!turned.empty())
        found.push_back(
            {Severity::warning, face_place(kept.mesh, turned[0]),
             fmt::format("{} wound against the others of the part: face {}",
                         counted(turned.size(), "face is", "faces are"), first_of(turned)),
             "turned"});
}

void check_parts(const Kept& kept, const Orientation& orientation, Diagnostics& found) {
    std::vector<Index> inverted;
    for (const Index p : inverted_parts(orientation))
        inverted.push_back(kept.id[std::size_t(orientation.part[std::size_t(p)].first_face)]);
    if (!inverted.empty())
        found.push_back({Severity::warning, face_place(kept.mesh, inverted[0]),
                         fmt::format("{} inside out (negative volume): the one of face {}",
                                     counted(inverted.size(), "closed part is", "closed parts are"),
                                     first_of(inverted)),
                         "turned"});

    std::size_t open = 0, boundary_edges = 0;
    for (const Orientation::Part& part : orientation.part)
        open += part.closed ? 0 : 1;
    for (Index e = 0; e < Index(kept.half_edges.edge.size()); ++e)
        boundary_edges += kept.half_edges.of_edge(e).size() == 1 ? 1 : 0;
    if (orientation.part.size() > 1)
        found.push_back({Severity::note, mesh_place(kept.mesh),
                         fmt::format("the mesh has {} separate parts", orientation.part.size()),
                         ""});
    if (open > 0)
        found.push_back({Severity::note, mesh_place(kept.mesh),
                         fmt::format("the mesh is open: {} with {}", counted(open, "part", "parts"),
                                     counted(boundary_edges, "boundary edge", "boundary edges")),
                         "as an obstacle it has no inside"});
}

void check_junctions(const Kept& kept, Diagnostics& found) {
    constexpr std::size_t limit = 1000;
    const std::vector<TJunction> junctions =
        find_t_junctions(kept.mesh.position, kept.half_edges, limit);
    if (junctions.empty()) return;
    const TJunction& first = junctions[0];
    found.push_back(
        {Severity::warning, vertex_place(kept.mesh, first.vertex),
         fmt::format("{}{} inside a boundary edge (T-junction): vertex {} on edge {}-{} at {}",
                     junctions.size() >= limit ? "at least " : "",
                     counted(junctions.size(), "vertex lies", "vertices lie"), first.vertex,
                     first.edge[0], first.edge[1],
                     point_text(kept.mesh.position[std::size_t(first.vertex)])),
         "the mesh is open there: split the faces at that vertex"});
}

}  // namespace

void check_topology(const TriMesh& mesh, const std::vector<Index>& kept_faces, Diagnostics& found) {
    const Kept kept(mesh, kept_faces);
    check_edges(kept, found);
    check_vertices(kept, found);
    const Orientation orientation = find_orientation(mesh.position, kept.face, kept.half_edges);
    check_winding(kept, orientation, found);
    check_parts(kept, orientation, found);
    check_junctions(kept, found);
}

}  // namespace taffeta::mesh

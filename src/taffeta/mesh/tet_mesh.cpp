#include "taffeta/mesh/tet_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace taffeta::mesh {

namespace {

/// A face of the boundary: a corner opposite to it, in a tet.
struct OuterFace {
    Index tet;
    int face;
};

std::vector<OuterFace> outer_faces(const TetMesh& mesh) {
    struct Keyed {
        Triangle sorted;
        OuterFace place;
    };
    std::vector<Keyed> faces;
    faces.reserve(4 * mesh.tet.size());
    for (Index t = 0; t < mesh.tet_count(); ++t)
        for (int f = 0; f < 4; ++f) {
            Triangle key;
            for (std::size_t k = 0; k < 3; ++k)
                key[k] = mesh.tet[std::size_t(t)][std::size_t(tet_face[f][k])];
            std::sort(key.begin(), key.end());
            faces.push_back({key, {t, f}});
        }
    std::stable_sort(faces.begin(), faces.end(),
                     [](const Keyed& a, const Keyed& b) { return a.sorted < b.sorted; });
    std::vector<OuterFace> outer;
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t end = i + 1;
        while (end < faces.size() && faces[end].sorted == faces[i].sorted)
            ++end;
        if (end == i + 1) outer.push_back(faces[i].place);
        i = end;
    }
    std::sort(outer.begin(), outer.end(), [](const OuterFace& a, const OuterFace& b) {
        return a.tet != b.tet ? a.tet < b.tet : a.face < b.face;
    });
    return outer;
}

/// The middle vertex of the edge between two corners of a tet.
Index middle_of(const TetMesh& mesh, Index tet, int a, int b) {
    for (std::size_t e = 0; e < 6; ++e)
        if ((tet_edge[e][0] == a && tet_edge[e][1] == b) ||
            (tet_edge[e][0] == b && tet_edge[e][1] == a))
            return mesh.middle[std::size_t(tet)][e];
    return -1;
}

/// Counts findings of one kind and keeps the first.
struct Finding {
    Index count = 0;
    Index first = -1;

    void add(Index element) {
        if (count++ == 0) first = element;
    }
    void report(const TetMesh& mesh, const char* what, const char* hint, Diagnostics& found) const {
        if (count == 0) return;
        std::string where = mesh.source;
        if (std::size_t(first) < mesh.tet_line.size())
            where += fmt::format(":{}", mesh.tet_line[std::size_t(first)]);
        found.push_back({Severity::error, where,
                         count == 1
                             ? fmt::format("tet {} {}", first, what)
                             : fmt::format("tet {} and {} others: {}", first, count - 1, what),
                         hint});
    }
};

double longest_edge(const TetMesh& mesh, const Tet& tet) {
    double longest = 0;
    for (const auto& edge : tet_edge)
        longest = std::max(longest, (mesh.position[std::size_t(tet[std::size_t(edge[1])])] -
                                     mesh.position[std::size_t(tet[std::size_t(edge[0])])])
                                        .norm());
    return longest;
}

}  // namespace

double tet_volume(const TetMesh& mesh, Index tet) {
    const Tet& t = mesh.tet[std::size_t(tet)];
    const Vec3& x0 = mesh.position[std::size_t(t[0])];
    const Vec3 a = mesh.position[std::size_t(t[1])] - x0;
    const Vec3 b = mesh.position[std::size_t(t[2])] - x0;
    const Vec3 c = mesh.position[std::size_t(t[3])] - x0;
    return a.cross(b).dot(c) / 6;
}

Diagnostics check_tets(const TetMesh& mesh) {
    Diagnostics found;
    if (mesh.tet.empty())
        found.push_back({Severity::error, mesh.source, "the mesh has no tets", {}});
    for (Index i = 0; i < mesh.vertex_count(); ++i)
        if (!mesh.position[std::size_t(i)].allFinite()) {
            found.push_back({Severity::error,
                             mesh.source,
                             fmt::format("vertex {} has a coordinate that is not finite", i),
                             {}});
            return found;
        }
    Finding outside, repeated, flat, turned;
    for (Index t = 0; t < mesh.tet_count(); ++t) {
        const Tet& tet = mesh.tet[std::size_t(t)];
        const auto [low, high] = std::minmax_element(tet.begin(), tet.end());
        if (*low < 0 || *high >= mesh.vertex_count()) {
            outside.add(t);
            continue;
        }
        if (std::set<Index>(tet.begin(), tet.end()).size() < 4) {
            repeated.add(t);
            continue;
        }
        const double volume = tet_volume(mesh, t);
        const double edge = longest_edge(mesh, tet);
        if (!(std::abs(volume) > 1e-12 * edge * edge * edge))
            flat.add(t);
        else if (volume < 0)
            turned.add(t);
    }
    outside.report(mesh, "names a vertex that the mesh has not", "", found);
    repeated.report(mesh, "has a vertex twice", "", found);
    flat.report(mesh, "has no volume", "remesh the solid", found);
    turned.report(mesh, "is inside out", "swap two of its vertices", found);
    return found;
}

Diagnostics turn_tets(TetMesh& mesh) {
    Index count = 0, first = -1;
    for (Index t = 0; t < mesh.tet_count(); ++t) {
        if (!(tet_volume(mesh, t) < 0)) continue;
        if (count++ == 0) first = t;
        std::swap(mesh.tet[std::size_t(t)][2], mesh.tet[std::size_t(t)][3]);
        if (!mesh.quadratic()) continue;
        auto& middle = mesh.middle[std::size_t(t)];
        std::swap(middle[1], middle[2]);  // 02 and 03
        std::swap(middle[3], middle[4]);  // 12 and 13
    }
    if (count == 0) return {};
    return {
        {Severity::warning,
         mesh.source,
         fmt::format("{} tets were inside out and are turned; the first is tet {}", count, first),
         {}}};
}

TetMesh quadratic(const TetMesh& linear) {
    TetMesh made = linear;
    std::map<Edge, Index> middle;
    made.middle.resize(made.tet.size());
    for (std::size_t t = 0; t < made.tet.size(); ++t)
        for (std::size_t e = 0; e < 6; ++e) {
            Edge edge = {made.tet[t][std::size_t(tet_edge[e][0])],
                         made.tet[t][std::size_t(tet_edge[e][1])]};
            if (edge[0] > edge[1]) std::swap(edge[0], edge[1]);
            const auto [found, inserted] = middle.try_emplace(edge, made.vertex_count());
            if (inserted)
                made.position.push_back(0.5 * (linear.position[std::size_t(edge[0])] +
                                               linear.position[std::size_t(edge[1])]));
            made.middle[t][e] = found->second;
        }
    for (auto& [name, vertices] : made.group) {
        const std::set<Index> members(vertices.begin(), vertices.end());
        for (const auto& [edge, vertex] : middle)
            if (members.count(edge[0]) && members.count(edge[1])) vertices.push_back(vertex);
        std::sort(vertices.begin(), vertices.end());
    }
    return made;
}

TriMesh boundary_surface(const TetMesh& mesh) {
    TriMesh surface;
    surface.position = mesh.position;
    surface.group = mesh.group;
    surface.source = mesh.source;
    for (const OuterFace& outer : outer_faces(mesh)) {
        const Tet& tet = mesh.tet[std::size_t(outer.tet)];
        const int* local = tet_face[outer.face];
        Triangle corner, middle;
        for (std::size_t k = 0; k < 3; ++k)
            corner[k] = tet[std::size_t(local[k])];
        if (!mesh.quadratic()) {
            surface.face.push_back(corner);
            continue;
        }
        for (int k = 0; k < 3; ++k)
            middle[std::size_t(k)] = middle_of(mesh, outer.tet, local[k], local[(k + 1) % 3]);
        surface.face.push_back({corner[0], middle[0], middle[2]});
        surface.face.push_back({middle[0], corner[1], middle[1]});
        surface.face.push_back({middle[2], middle[1], corner[2]});
        surface.face.push_back({middle[0], middle[1], middle[2]});
    }
    return surface;
}

std::vector<double> lumped_mass(const TetMesh& mesh, double density) {
    std::vector<double> mass(mesh.position.size(), 0.0);
    for (Index t = 0; t < mesh.tet_count(); ++t) {
        const double whole = density * tet_volume(mesh, t);
        for (const Index corner : mesh.tet[std::size_t(t)])
            mass[std::size_t(corner)] += mesh.quadratic() ? whole / 36 : whole / 4;
        if (!mesh.quadratic()) continue;
        for (const Index middle : mesh.middle[std::size_t(t)])
            mass[std::size_t(middle)] += whole * 4 / 27;
    }
    return mass;
}

}  // namespace taffeta::mesh

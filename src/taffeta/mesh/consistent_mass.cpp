#include "taffeta/mesh/consistent_mass.h"

#include <algorithm>

#include "taffeta/base/error.h"

namespace taffeta::mesh {

namespace {

/// Adds m_ij of one element, the same for all its pairs but twice on the diagonal.
template <std::size_t N>
void add_element(const std::array<Index, N>& corner, double share,
                 std::vector<MassEntry>& entries) {
    for (std::size_t a = 0; a < N; ++a)
        for (std::size_t b = a; b < N; ++b)
            entries.push_back({std::min(corner[a], corner[b]), std::max(corner[a], corner[b]),
                               a == b ? 2 * share : share});
}

std::vector<MassEntry> merged(std::vector<MassEntry> entries) {
    std::stable_sort(entries.begin(), entries.end(), [](const MassEntry& a, const MassEntry& b) {
        return a.i != b.i ? a.i < b.i : a.j < b.j;
    });
    std::size_t kept = 0;
    for (const MassEntry& entry : entries)
        if (kept > 0 && entries[kept - 1].i == entry.i && entries[kept - 1].j == entry.j)
            entries[kept - 1].mass += entry.mass;
        else
            entries[kept++] = entry;
    entries.resize(kept);
    return entries;
}

}  // namespace

std::vector<MassEntry> consistent_mass(const TriMesh& mesh, const RestShape& rest, double density) {
    std::vector<MassEntry> entries;
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        add_element(mesh.face[f], density * rest.area[f] / 12, entries);
    return merged(std::move(entries));
}

std::vector<MassEntry> consistent_mass(const TetMesh& mesh, double density) {
    if (mesh.quadratic())
        fail_input("mass", "quadratic tets have lumped masses only", "`\"mass\": \"lumped\"`");
    std::vector<MassEntry> entries;
    for (Index t = 0; t < mesh.tet_count(); ++t)
        add_element(mesh.tet[std::size_t(t)], density * tet_volume(mesh, t) / 20, entries);
    return merged(std::move(entries));
}

std::vector<double> voronoi_mass(const TriMesh& mesh, const RestShape& rest, double density) {
    std::vector<double> mass(mesh.position.size(), 0);
    for (std::size_t f = 0; f < mesh.face.size(); ++f) {
        const std::array<Vec2, 3>& uv = rest.face_uv[f];
        std::array<double, 3> edge_sq{}, dot{};  // opposite corner k; of the edges that leave it
        for (std::size_t k = 0; k < 3; ++k) {
            edge_sq[k] = (uv[(k + 2) % 3] - uv[(k + 1) % 3]).squaredNorm();
            dot[k] = (uv[(k + 1) % 3] - uv[k]).dot(uv[(k + 2) % 3] - uv[k]);
        }
        const bool obtuse = dot[0] < 0 || dot[1] < 0 || dot[2] < 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
            // cot = dot / (2 A)
            const double area =
                obtuse ? rest.area[f] * (dot[k] < 0 ? 0.5 : 0.25)
                       : (edge_sq[a] * dot[a] + edge_sq[b] * dot[b]) / (16 * rest.area[f]);
            mass[std::size_t(mesh.face[f][k])] += density * area;
        }
    }
    return mass;
}

}  // namespace taffeta::mesh

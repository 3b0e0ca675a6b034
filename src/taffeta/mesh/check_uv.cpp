#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/mesh/charts.h"
#include "taffeta/mesh/checks.h"
#include "taffeta/mesh/place.h"

namespace taffeta::mesh {

namespace {

/// The uv corners of every face, or nothing when some face has none.
std::vector<std::array<Vec2, 3>> corners_of(const TriMesh& mesh, std::vector<Index>& without) {
    std::vector<std::array<Vec2, 3>> corners(mesh.face.size());
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const Index i = mesh.face_uv[f][k];
            if (i >= 0 && std::size_t(i) < mesh.uv.size()) {
                corners[f][k] = mesh.uv[std::size_t(i)];
                continue;
            }
            without.push_back(Index(f));
            break;
        }
    return corners;
}

double twice_area(const std::array<Vec2, 3>& uv) {
    const Vec2 p = uv[1] - uv[0], q = uv[2] - uv[0];
    return p.x() * q.y() - q.x() * p.y();
}

bool is_flat(const std::array<Vec2, 3>& uv) {
    const double longest_sq =
        std::max({(uv[1] - uv[0]).squaredNorm(), (uv[2] - uv[1]).squaredNorm(),
                  (uv[0] - uv[2]).squaredNorm()});
    return !(std::abs(twice_area(uv)) > 1e-12 * longest_sq);
}

/// Faces with the sign that is rarer in their chart.
std::vector<Index> folded_faces(const TriMesh& mesh,
                                const std::vector<std::array<Vec2, 3>>& corners) {
    const Charts charts = uv_charts(make_topology(mesh), corners);
    std::vector<Index> positive(std::size_t(charts.count), 0), negative(positive);
    for (std::size_t f = 0; f < corners.size(); ++f) {
        if (is_flat(corners[f])) continue;
        ++(twice_area(corners[f]) > 0 ? positive : negative)[std::size_t(charts.of_face[f])];
    }
    std::vector<Index> folded;
    for (std::size_t f = 0; f < corners.size(); ++f) {
        const std::size_t chart = std::size_t(charts.of_face[f]);
        if (is_flat(corners[f]) || positive[chart] == 0 || negative[chart] == 0) continue;
        const bool mostly_positive = positive[chart] >= negative[chart];
        if ((twice_area(corners[f]) > 0) != mostly_positive) folded.push_back(Index(f));
    }
    return folded;
}

void report(const TriMesh& mesh, const std::vector<Index>& faces, const std::string& what,
            const char* hint, Diagnostics& found) {
    if (faces.empty()) return;
    found.push_back({Severity::warning, face_place(mesh, faces[0]),
                     fmt::format("{} {}: face {}", counted(faces.size(), "face", "faces"), what,
                                 first_of(faces)),
                     hint});
}

}  // namespace

double uv_ratio(const TriMesh& mesh) {
    std::vector<double> ratio;
    if (mesh.face_uv.size() != mesh.face.size()) return 0;
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t n = (k + 1) % 3;
            const Index i = mesh.face_uv[f][k], j = mesh.face_uv[f][n];
            if (i < 0 || j < 0 || std::size_t(std::max(i, j)) >= mesh.uv.size()) continue;
            const double flat = (mesh.uv[std::size_t(i)] - mesh.uv[std::size_t(j)]).norm();
            const double space = (mesh.position[std::size_t(mesh.face[f][k])] -
                                  mesh.position[std::size_t(mesh.face[f][n])])
                                     .norm();
            if (flat > 0 && std::isfinite(space / flat)) ratio.push_back(space / flat);
        }
    if (ratio.empty()) return 0;
    const auto middle = ratio.begin() + std::ptrdiff_t(ratio.size() / 2);
    std::nth_element(ratio.begin(), middle, ratio.end());
    return *middle;
}

void check_uv(const TriMesh& mesh, Diagnostics& found) {
    if (mesh.uv.empty() || mesh.face_uv.size() != mesh.face.size()) return;
    for (std::size_t i = 0; i < mesh.uv.size(); ++i)
        if (!mesh.uv[i].allFinite()) {
            found.push_back(
                {Severity::error, mesh_place(mesh), fmt::format("uv {} is not finite", i), ""});
            return;
        }
    std::vector<Index> without;
    const std::vector<std::array<Vec2, 3>> corners = corners_of(mesh, without);
    report(mesh, without, "without uv", "no rest shape from uv for this mesh", found);
    if (!without.empty()) return;

    std::vector<Index> flat;
    for (std::size_t f = 0; f < corners.size(); ++f)
        if (is_flat(corners[f])) flat.push_back(Index(f));
    report(mesh, flat, "without area in uv", "no rest shape from uv for this mesh", found);
    report(mesh, folded_faces(mesh, corners), "turned over in uv against the chart",
           "unfold the uv there, or no rest shape can come from uv", found);
    const double ratio = uv_ratio(mesh);
    if (ratio > 0 && (ratio < 0.5 || ratio > 2))
        found.push_back({Severity::note, mesh_place(mesh),
                         fmt::format("lengths in space are {:.3g} times those in uv", ratio),
                         "if uv is the rest shape, it is not in metres: set its scale"});
}

}  // namespace taffeta::mesh

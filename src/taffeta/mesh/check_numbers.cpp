#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "taffeta/mesh/checks.h"
#include "taffeta/mesh/place.h"

namespace taffeta::mesh {

namespace {

double median_edge(const TriMesh& mesh) {
    std::vector<double> length;
    length.reserve(3 * mesh.face.size());
    for (const Triangle& face : mesh.face)
        for (std::size_t k = 0; k < 3; ++k)
            length.push_back((mesh.position[std::size_t(face[(k + 1) % 3])] -
                              mesh.position[std::size_t(face[k])])
                                 .norm());
    const auto middle = length.begin() + std::ptrdiff_t(length.size() / 2);
    std::nth_element(length.begin(), middle, length.end());
    return *middle;
}

void check_units(const TriMesh& mesh, const Vec3& low, const Vec3& high, Diagnostics& found) {
    const double size = (high - low).maxCoeff();
    if (size < 1e-6) {
        found.push_back({Severity::error, mesh_place(mesh),
                         fmt::format("the whole mesh is {:.3g} m large", size),
                         "scale it to metres"});
        return;
    }
    const double edge = median_edge(mesh);
    if (edge > 3 || size > 50)
        found.push_back(
            {Severity::warning, mesh_place(mesh),
             fmt::format("the median edge is {:.3g} m and the mesh {:.3g} m large", edge, size),
             "are these centimetres or millimetres? Scale it to metres"});
    else if (edge < 2e-5)
        found.push_back(
            {Severity::warning, mesh_place(mesh),
             fmt::format("the median edge is {:.3g} m and the mesh {:.3g} m large", edge, size),
             "is this mesh in a larger unit than metres?"});
    const double distance = ((low + high) / 2).norm();
    if (distance > 100 && distance > 100 * size)
        found.push_back(
            {Severity::warning, mesh_place(mesh),
             fmt::format("the mesh lies {:.6g} m from the origin, {:.3g} times its size", distance,
                         distance / size),
             "move it near the origin: digits are lost there"});
}

}  // namespace

bool check_numbers(const TriMesh& mesh, Diagnostics& found) {
    std::vector<Index> not_finite, too_large;
    Vec3 low = Vec3::Constant(largest_coordinate), high = -low;
    for (Index v = 0; v < mesh.vertex_count(); ++v) {
        const Vec3& x = mesh.position[std::size_t(v)];
        if (!x.allFinite())
            not_finite.push_back(v);
        else if (x.lpNorm<Eigen::Infinity>() > largest_coordinate)
            too_large.push_back(v);
        low = low.cwiseMin(x);
        high = high.cwiseMax(x);
    }
    const auto report = [&](const std::vector<Index>& vertices, const std::string& what,
                            const char* hint) {
        if (vertices.empty()) return;
        found.push_back(
            {Severity::error, vertex_place(mesh, vertices[0]),
             fmt::format("{} {}: vertex {}; the first is at {}",
                         counted(vertices.size(), "coordinate triple", "coordinate triples"), what,
                         first_of(vertices), point_text(mesh.position[std::size_t(vertices[0])])),
             hint});
    };
    report(not_finite, "not finite", "the program that wrote the mesh failed");
    report(too_large, fmt::format("beyond {:.0e} m", largest_coordinate), "check the units");
    if (!not_finite.empty() || !too_large.empty()) return false;
    check_units(mesh, low, high, found);
    return true;
}

}  // namespace taffeta::mesh

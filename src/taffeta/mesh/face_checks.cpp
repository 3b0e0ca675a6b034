#include "taffeta/mesh/face_checks.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "taffeta/base/parallel.h"

namespace taffeta::mesh {

std::vector<Index> faces_out_of_range(const TriMesh& mesh) {
    std::vector<Index> found;
    for (Index f = 0; f < mesh.face_count(); ++f)
        for (const Index vertex : mesh.face[std::size_t(f)])
            if (vertex < 0 || vertex >= mesh.vertex_count()) {
                found.push_back(f);
                break;
            }
    return found;
}

std::vector<Index> faces_with_repeated_vertex(const std::vector<Triangle>& face) {
    std::vector<Index> found;
    for (std::size_t f = 0; f < face.size(); ++f) {
        const auto& [a, b, c] = face[f];
        if (a == b || b == c || c == a) found.push_back(Index(f));
    }
    return found;
}

std::vector<Index> duplicate_faces(const std::vector<Triangle>& face) {
    struct Sorted {
        Triangle vertex;
        Index face;
        bool operator<(const Sorted& other) const {
            return vertex != other.vertex ? vertex < other.vertex : face < other.face;
        }
    };
    std::vector<Sorted> sorted(face.size());
    for (std::size_t f = 0; f < face.size(); ++f) {
        sorted[f] = {face[f], Index(f)};
        std::sort(sorted[f].vertex.begin(), sorted[f].vertex.end());
    }
    std::sort(sorted.begin(), sorted.end());

    std::vector<Index> found;
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].vertex == sorted[i - 1].vertex) found.push_back(sorted[i].face);
    std::sort(found.begin(), found.end());
    return found;
}

double aspect(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double longest_sq =
        std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
    const double twice_area = (b - a).cross(c - a).norm();
    if (!(twice_area > 1e-12 * longest_sq)) return std::numeric_limits<double>::infinity();
    return longest_sq / twice_area;
}

std::vector<double> face_aspects(const std::vector<Vec3>& position,
                                 const std::vector<Triangle>& face) {
    std::vector<double> found(face.size());
    parallel_for(Index(face.size()), 4096, [&](Index f) {
        const auto& [a, b, c] = face[std::size_t(f)];
        found[std::size_t(f)] =
            aspect(position[std::size_t(a)], position[std::size_t(b)], position[std::size_t(c)]);
    });
    return found;
}

}  // namespace taffeta::mesh

#include "render/mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::render {
namespace {

/// The faces around each vertex as one list with offsets.
struct VertexFaces {
    std::vector<Index> offset, corner;  ///< corner = 3 face + k

    explicit VertexFaces(const RenderMesh& mesh) : offset(mesh.position.size() + 1, 0) {
        for (const Triangle& face : mesh.face)
            for (Index vertex : face)
                ++offset[std::size_t(vertex) + 1];
        for (std::size_t v = 1; v < offset.size(); ++v)
            offset[v] += offset[v - 1];
        corner.resize(3 * mesh.face.size());
        std::vector<Index> next(offset.begin(), offset.end() - 1);
        for (std::size_t f = 0; f < mesh.face.size(); ++f)
            for (std::size_t k = 0; k < 3; ++k)
                corner[std::size_t(next[std::size_t(mesh.face[f][k])]++)] = Index(3 * f + k);
    }
};

double angle_between(const Vec3& a, const Vec3& b) {
    return std::atan2(a.cross(b).norm(), a.dot(b));
}

}  // namespace

std::vector<std::array<Vec3, 3>> corner_normals(const RenderMesh& mesh) {
    const std::size_t face_count = mesh.face.size();
    std::vector<Vec3> face_normal(face_count);
    std::vector<std::array<double, 3>> angle(face_count);
    for (std::size_t f = 0; f < face_count; ++f) {
        std::array<Vec3, 3> p;
        for (std::size_t k = 0; k < 3; ++k)
            p[k] = mesh.position[std::size_t(mesh.face[f][k])];
        const Vec3 area = (p[1] - p[0]).cross(p[2] - p[0]);
        face_normal[f] = area.norm() > 0 ? Vec3(area.normalized()) : Vec3::Zero();
        for (std::size_t k = 0; k < 3; ++k)
            angle[f][k] = angle_between(p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
    }

    const VertexFaces around(mesh);
    const double least_cosine = std::cos(mesh.crease_angle * std::numbers::pi / 180);
    std::vector<std::array<Vec3, 3>> normals(face_count);
    for (std::size_t f = 0; f < face_count; ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t vertex = std::size_t(mesh.face[f][k]);
            Vec3 sum = Vec3::Zero();
            for (Index c = around.offset[vertex]; c < around.offset[vertex + 1]; ++c) {
                const std::size_t other = std::size_t(around.corner[std::size_t(c)]);
                if (face_normal[f].dot(face_normal[other / 3]) >= least_cosine)
                    sum += angle[other / 3][other % 3] * face_normal[other / 3];
            }
            normals[f][k] = sum.norm() > 0 ? Vec3(sum.normalized()) : face_normal[f];
        }
    return normals;
}

double fitting_check_size(const RenderMesh& mesh, int count) {
    if (mesh.uv.empty()) return 0;
    Vec2 low = mesh.uv.front(), high = mesh.uv.front();
    for (const Vec2& uv : mesh.uv) {
        low = low.cwiseMin(uv);
        high = high.cwiseMax(uv);
    }
    return (high - low).maxCoeff() / count;
}

}  // namespace taffeta::render

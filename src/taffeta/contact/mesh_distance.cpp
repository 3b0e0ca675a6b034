#include "taffeta/contact/mesh_distance.h"

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "taffeta/base/error.h"
#include "taffeta/base/parallel.h"

namespace taffeta::contact {
namespace {

constexpr Index grid_cells = 32;  ///< along the longest side

/// An edge as it runs in one of its faces.
struct DirectedEdge {
    Index low, high;  ///< its vertices
    bool forward;     ///< runs from low to high
    Index face, corner;

    bool operator<(const DirectedEdge& other) const {
        return std::tie(low, high, face) < std::tie(other.low, other.high, other.face);
    }
};

std::vector<DirectedEdge> sorted_edges(const mesh::TriMesh& mesh) {
    std::vector<DirectedEdge> edges;
    edges.reserve(3 * mesh.face.size());
    for (Index f = 0; f < mesh.face_count(); ++f)
        for (Index k = 0; k < 3; ++k) {
            const Triangle& face = mesh.face[std::size_t(f)];
            const Index from = face[std::size_t((k + 1) % 3)], to = face[std::size_t((k + 2) % 3)];
            edges.push_back({std::min(from, to), std::max(from, to), from < to, f, k});
        }
    std::sort(edges.begin(), edges.end());
    return edges;
}

std::string name_of(const mesh::TriMesh& mesh, const DirectedEdge& edge) {
    const Vec3& a = mesh.position[std::size_t(edge.low)];
    const Vec3& b = mesh.position[std::size_t(edge.high)];
    return fmt::format("edge {}-{} from ({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g})",
                       edge.low, edge.high, a.x(), a.y(), a.z(), b.x(), b.y(), b.z());
}

std::string source_of(const mesh::TriMesh& mesh) {
    return mesh.source.empty() ? "obstacle mesh" : mesh.source;
}

std::string where(const mesh::TriMesh& mesh, Index face) {
    const std::string source = source_of(mesh);
    if (std::size_t(face) >= mesh.face_line.size()) return source;
    return fmt::format("{}:{}", source, mesh.face_line[std::size_t(face)]);
}

/// Six times the volume that the faces enclose. About the first vertex, to keep digits.
double volume_times_six(const mesh::TriMesh& mesh) {
    double volume = 0;
    const Vec3 origin = mesh.position[std::size_t(mesh.face[0][0])];
    for (const Triangle& face : mesh.face) {
        const Vec3 a = mesh.position[std::size_t(face[0])] - origin;
        const Vec3 b = mesh.position[std::size_t(face[1])] - origin;
        const Vec3 c = mesh.position[std::size_t(face[2])] - origin;
        volume += a.dot(b.cross(c));
    }
    return volume;
}

Vec3 unit_or_zero(const Vec3& v) {
    const double length = v.norm();
    return length > 0 ? Vec3(v / length) : Vec3::Zero();
}

}  // namespace

mesh::TriMesh closed_outward_surface(const mesh::TriMesh& mesh, Diagnostics& diagnostics) {
    if (mesh.face.empty()) fail_input(where(mesh, 0), "the obstacle mesh has no faces");
    const std::vector<DirectedEdge> edges = sorted_edges(mesh);
    for (std::size_t k = 0; k < edges.size();) {
        std::size_t end = k + 1;
        while (end < edges.size() && edges[end].low == edges[k].low &&
               edges[end].high == edges[k].high)
            ++end;
        const std::string place = where(mesh, edges[k].face);
        if (end - k == 1)
            fail_input(place,
                       "the obstacle mesh is open: " + name_of(mesh, edges[k]) +
                           fmt::format(" belongs to face {} only", edges[k].face),
                       "close its holes; only a closed surface has an inside");
        if (end - k > 2)
            fail_input(place,
                       fmt::format("{} of the obstacle mesh belongs to {} faces",
                                   name_of(mesh, edges[k]), end - k),
                       "every edge of a solid has two faces");
        if (edges[k].forward == edges[k + 1].forward)
            fail_input(place,
                       fmt::format("faces {} and {} of the obstacle mesh are wound against each "
                                   "other at {}",
                                   edges[k].face, edges[k + 1].face, name_of(mesh, edges[k])),
                       "make the winding consistent");
        k = end;
    }
    mesh::TriMesh outward = mesh;
    if (volume_times_six(mesh) < 0) {
        for (Triangle& face : outward.face)
            std::swap(face[1], face[2]);
        for (Triangle& face : outward.face_uv)
            std::swap(face[1], face[2]);
        diagnostics.push_back(
            {Severity::warning, source_of(mesh),
             fmt::format("all {} faces point inward: turned outward", mesh.face_count()),
             "flip the winding in the file"});
    }
    return outward;
}

MeshDistance::MeshDistance(const mesh::TriMesh& mesh) : tree_(mesh) {
    if (tree_.empty()) fail_input(where(mesh, 0), "no face of the obstacle mesh has an area");
    low_ = high_ = mesh.position[std::size_t(mesh.face[0][0])];
    for (const Triangle& face : mesh.face)
        for (const Index vertex : face) {
            low_ = low_.cwiseMin(mesh.position[std::size_t(vertex)]);
            high_ = high_.cwiseMax(mesh.position[std::size_t(vertex)]);
        }
    tiny_ = 1e-9 * (high_ - low_).norm();
    make_normals(mesh);
    make_grid();
}

void MeshDistance::make_normals(const mesh::TriMesh& mesh) {
    std::vector<Vec3> of_vertex(mesh.position.size(), Vec3::Zero());
    normal_.assign(mesh.face.size(), {});
    for (std::size_t f = 0; f < mesh.face.size(); ++f) {
        const Triangle& face = mesh.face[f];
        const Vec3 corner[] = {mesh.position[std::size_t(face[0])],
                               mesh.position[std::size_t(face[1])],
                               mesh.position[std::size_t(face[2])]};
        const Vec3 normal = unit_or_zero((corner[1] - corner[0]).cross(corner[2] - corner[0]));
        normal_[f][std::size_t(TriangleFeature::face)] = normal;
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 u = corner[(k + 1) % 3] - corner[k], w = corner[(k + 2) % 3] - corner[k];
            of_vertex[std::size_t(face[k])] += std::atan2(u.cross(w).norm(), u.dot(w)) * normal;
        }
    }
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            normal_[f][k] = unit_or_zero(of_vertex[std::size_t(mesh.face[f][k])]);
    const std::vector<DirectedEdge> edges = sorted_edges(mesh);
    for (std::size_t k = 0; k + 1 < edges.size(); k += 2) {
        const DirectedEdge &one = edges[k], &two = edges[k + 1];
        const Vec3 sum = normal_[std::size_t(one.face)][6] + normal_[std::size_t(two.face)][6];
        normal_[std::size_t(one.face)][std::size_t(3 + one.corner)] = unit_or_zero(sum);
        normal_[std::size_t(two.face)][std::size_t(3 + two.corner)] = unit_or_zero(sum);
    }
}

void MeshDistance::make_grid() {
    cell_size_ = (high_ - low_).maxCoeff() / grid_cells;
    Index count = 1;
    for (int k = 0; k < 3; ++k) {
        cells_[std::size_t(k)] = std::max(1, int(std::ceil((high_ - low_)[k] / cell_size_)));
        count *= cells_[std::size_t(k)];
    }
    grid_.resize(std::size_t(count));
    const double everything = 2 * (high_ - low_).norm() + 3 * cell_size_;
    parallel_for(count, 256, [&](Index cell) {
        const Index x = cell % cells_[0], y = cell / cells_[0] % cells_[1];
        const Index z = cell / (cells_[0] * cells_[1]);
        const Vec3 center = low_ + cell_size_ * Vec3(x + 0.5, y + 0.5, z + 0.5);
        grid_[std::size_t(cell)] = evaluate(center, everything).distance;
    });
}

Vec3 MeshDistance::cell_center(const Vec3& p, std::size_t& cell) const {
    Index index[3];
    Vec3 center;
    for (int k = 0; k < 3; ++k) {
        // max(0, .) first: it turns a NaN into 0, which no cast to an index survives.
        const double along = std::max(0.0, (p[k] - low_[k]) / cell_size_);
        index[k] = Index(std::min(along, cells_[std::size_t(k)] - 0.5));
        center[k] = low_[k] + cell_size_ * (index[k] + 0.5);
    }
    cell = std::size_t(index[0] + cells_[0] * (index[1] + cells_[1] * index[2]));
    return center;
}

bool MeshDistance::near(const Vec3& p, double distance) const {
    if ((low_ - p).cwiseMax(p - high_).cwiseMax(0).squaredNorm() >= distance * distance &&
        distance > 0)
        return false;
    std::size_t cell;
    const Vec3 center = cell_center(p, cell);
    return grid_[cell] - (p - center).norm() < distance;
}

MeshDistance::Result MeshDistance::at(const Vec3& p) const {
    std::size_t cell;
    const Vec3 center = cell_center(p, cell);
    // Where the grid's cell promises the surface, with room for rounding.
    return evaluate(p, (std::abs(grid_[cell]) + (p - center).norm()) * (1 + 1e-9) + tiny_);
}

MeshDistance::Result MeshDistance::evaluate(const Vec3& p, double limit) const {
    const TriangleTree::Hit hit = tree_.closest(p, limit);
    TAFFETA_ASSERT(hit.face >= 0);
    const Vec3& pseudonormal = normal_[std::size_t(hit.face)][std::size_t(hit.closest.feature)];
    const Vec3 offset = p - hit.closest.point;
    const double distance = std::sqrt(hit.distance_sq);
    const double sign = offset.dot(pseudonormal) < 0 ? -1 : 1;
    if (distance <= tiny_) return {sign * distance, pseudonormal, hit.face};
    return {sign * distance, sign / distance * offset, hit.face};
}

}  // namespace taffeta::contact

#include "taffeta/contact/untangling.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

namespace taffeta::contact {
namespace {

constexpr double steepest = 0.1;  ///< sine between edge and face, below which it counts as that

}  // namespace

Untangling::Untangling(const CollisionSurface& surface) : cloth_vertices_(surface.cloth_vertices) {
    std::vector<Triangle> cloth, fixed;
    for (const Triangle& face : surface.face) {
        if (surface.is_cloth(face[0]))
            cloth.push_back(face);
        else
            fixed.push_back(
                {face[0] - cloth_vertices_, face[1] - cloth_vertices_, face[2] - cloth_vertices_});
    }
    surfaces_.add(cloth_vertices_, cloth, false);
    if (!fixed.empty()) surfaces_.add(surface.vertices - cloth_vertices_, fixed, true);

    std::map<Edge, std::size_t> number;
    for (std::size_t e = 0; e < surfaces_.edge.size(); ++e) {
        Edge edge = surfaces_.edge[e];
        if (edge[1] < edge[0]) std::swap(edge[0], edge[1]);
        number[edge] = e;
    }
    beside_.assign(surfaces_.edge.size(), {-1, -1});
    for (const Triangle& face : surfaces_.face)
        for (std::size_t k = 0; k < 3; ++k) {
            Edge edge{face[k], face[(k + 1) % 3]};
            if (edge[1] < edge[0]) std::swap(edge[0], edge[1]);
            std::array<Index, 2>& beside = beside_[number.at(edge)];
            beside[beside[0] < 0 ? 0 : 1] = face[(k + 2) % 3];
        }
    involved_.assign(std::size_t(surface.vertices), 0);
    marked_.part = surfaces_.part;
    marked_.fixed = surfaces_.fixed;
}

Index Untangling::find(const VecX& x) {
    pairs_ = find_intersections(surfaces_, x);
    return mark();
}

Index Untangling::find_again(const VecX& x) {
    std::vector<Index> edges, faces;
    const auto collect = [&](const auto& elements, auto& chosen, std::vector<Index>& number) {
        chosen.clear();
        for (std::size_t k = 0; k < elements.size(); ++k) {
            if (std::none_of(elements[k].begin(), elements[k].end(),
                             [&](Index v) { return involved_[std::size_t(v)] != 0; }))
                continue;
            chosen.push_back(elements[k]);
            number.push_back(Index(k));
        }
    };
    collect(surfaces_.edge, marked_.edge, edges);
    collect(surfaces_.face, marked_.face, faces);
    pairs_ = find_intersections(marked_, x);
    for (EdgeFace& pair : pairs_)
        pair = {edges[std::size_t(pair.edge)], faces[std::size_t(pair.face)]};
    return mark();
}

/// Of the pairs, those that have a side to go to, and the marks of their vertices.
Index Untangling::mark() {
    // Cloth folded flat onto its own corner has no side to go to.
    std::erase_if(pairs_, [&](const EdgeFace& pair) {
        const Edge& edge = surfaces_.edge[std::size_t(pair.edge)];
        const Triangle& face = surfaces_.face[std::size_t(pair.face)];
        return std::any_of(face.begin(), face.end(),
                           [&](Index v) { return v == edge[0] || v == edge[1]; });
    });
    std::fill(involved_.begin(), involved_.end(), char(0));
    for (const EdgeFace& pair : pairs_) {
        const Edge& edge = surfaces_.edge[std::size_t(pair.edge)];
        const Triangle& face = surfaces_.face[std::size_t(pair.face)];
        const bool cloth = edge[0] < cloth_vertices_ && face[0] < cloth_vertices_;
        const Tangle tangle = cloth ? tangled_with_cloth : tangled_with_obstacle;
        for (const Index v : edge)
            involved_[std::size_t(v)] |= tangle;
        for (const Index v : face)
            involved_[std::size_t(v)] |= tangle;
    }
    return Index(pairs_.size());
}

/// G of a pair, and the weights of the edge's ends and the face's corners; zero where they are parallel.
Vec3 Untangling::descent(const EdgeFace& pair, const VecX& x, std::array<double, 5>& weight) const {
    const Edge& edge = surfaces_.edge[std::size_t(pair.edge)];
    const Triangle& face = surfaces_.face[std::size_t(pair.face)];
    const Vec3 p = vec3(x, edge[0]), q = vec3(x, edge[1]);
    const Vec3 a = vec3(x, face[0]), b = vec3(x, face[1]), c = vec3(x, face[2]);
    const Vec3 area = (b - a).cross(c - a), way = q - p;
    if (area.isZero(0) || way.isZero(0)) return Vec3::Zero();
    const Vec3 normal = area.normalized(), along = way.normalized();
    const double sine = normal.dot(along);
    if (std::abs(sine) < 1e-9) return Vec3::Zero();

    const double s = std::clamp(normal.dot(a - p) / normal.dot(way), 0.0, 1.0);
    const Vec3 meeting = p + s * way;
    Vec3 part(area.dot((b - meeting).cross(c - meeting)),
              area.dot((c - meeting).cross(a - meeting)),
              area.dot((a - meeting).cross(b - meeting)));
    part = part.cwiseMax(0);
    if (part.sum() <= 0) return Vec3::Zero();
    part /= part.sum();
    weight = {1 - s, s, -part[0], -part[1], -part[2]};

    Vec3 on = Vec3::Zero();
    for (const Index corner : beside_[std::size_t(pair.edge)]) {
        if (corner < 0) continue;
        const Vec3 third = vec3(x, corner);
        const Vec3 inward = (third - p) - along.dot(third - p) * along;
        Vec3 line = along.cross(inward).cross(normal);
        if (line.norm() < 1e-12 * inward.norm()) continue;
        line.normalize();
        on += line.dot(inward) < 0 ? Vec3(-line) : line;
    }
    const double bounded = std::copysign(std::max(std::abs(sine), steepest), sine);
    return on - on.dot(along) / bounded * normal;
}

void Untangling::displace(const VecX& x, std::span<const double> shortest_edge,
                          const sparse::NodeFilter& filter, std::span<const char> pinned,
                          VecX& displacement) const {
    VecX sum = VecX::Zero(3 * Eigen::Index(cloth_vertices_));
    VecX share = VecX::Zero(cloth_vertices_);
    for (const EdgeFace& pair : pairs_) {
        std::array<double, 5> weight{};
        const Vec3 direction = descent(pair, x, weight);
        if (direction.isZero(0)) continue;
        const Vec3 unit = direction.normalized();
        const Edge& edge = surfaces_.edge[std::size_t(pair.edge)];
        const Triangle& face = surfaces_.face[std::size_t(pair.face)];
        const std::array<Index, 5> vertex{edge[0], edge[1], face[0], face[1], face[2]};
        for (std::size_t k = 0; k < 5; ++k) {
            if (vertex[k] >= cloth_vertices_) continue;
            vec3(sum, vertex[k]) += weight[k] * unit;
            share[vertex[k]] += std::abs(weight[k]);
        }
    }
    for (Index v = 0; v < cloth_vertices_; ++v) {
        if (share[v] == 0 || (!pinned.empty() && pinned[std::size_t(v)] != 0)) continue;
        Vec3 way = longest_stride * shortest_edge[std::size_t(v)] / share[v] * vec3(sum, v);
        if (const auto* held = filter.find(v)) way = held->projector * way;
        vec3(displacement, v) += way;
    }
}

}  // namespace taffeta::contact

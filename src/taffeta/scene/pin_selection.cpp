#include "taffeta/scene/pin_selection.h"

#include <fmt/format.h>

#include <algorithm>

namespace taffeta::scene {

namespace {

template <class Inside>
std::vector<Index> vertices_where(Index count, const Inside& inside) {
    std::vector<Index> found;
    for (Index i = 0; i < count; ++i)
        if (inside(i)) found.push_back(i);
    return found;
}

std::vector<Index> listed(const Scene& scene, const std::string& path, const PinDescription& pin,
                          const SelectionTarget& target) {
    const std::vector<Index>& map = target.vertex_map;
    const Index given = map.empty() ? target.mesh.vertex_count() : Index(map.size());
    std::vector<Index> found;
    for (std::size_t k = 0; k < pin.vertices.size(); ++k) {
        const Index vertex = pin.vertices[k];
        const std::string place = fmt::format("{}.vertices[{}]", path, k);
        if (vertex >= given)
            scene.fail(place, fmt::format("there is no vertex {}", vertex),
                       fmt::format("the mesh has {}, numbered from 0 to {}", given, given - 1));
        const Index kept = map.empty() ? vertex : map[std::size_t(vertex)];
        if (kept < 0) scene.fail(place, fmt::format("vertex {} was dropped by the repair", vertex));
        found.push_back(kept);
    }
    return found;
}

std::vector<Index> grouped(const Scene& scene, const std::string& path, const PinDescription& pin,
                           const SelectionTarget& target) {
    const auto found = target.mesh.group.find(pin.group);
    if (found != target.mesh.group.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, vertices] : target.mesh.group)
        known.push_back(name);
    const std::string near = nearest(pin.group, known);
    std::string hint = known.empty() ? "the mesh has no groups" : "the groups are: ";
    for (std::size_t i = 0; i < std::min<std::size_t>(known.size(), 10); ++i)
        hint += (i > 0 ? ", " : "") + escaped(known[i]);
    scene.fail(path + ".group", fmt::format("unknown group '{}'", escaped(pin.group)),
               near.empty() ? hint : fmt::format("did you mean '{}'?", escaped(near)));
}

/// Vertices at an end of the cloth in material coordinates. The tolerance is far below an edge and
/// far above the rounding of text files.
std::vector<Index> at_end(const Scene& scene, const std::string& path, const std::string& region,
                          const mesh::TriMesh& mesh) {
    if (mesh.face_uv.empty())
        scene.fail(path + ".region",
                   fmt::format("'{}' needs uv coordinates, the mesh has none", region),
                   "select by box, sphere, group or vertices");
    const int axis = region[0] == 'u' ? 0 : 1;
    const bool low = region.substr(2) == "min";
    double least = 1e300, most = -1e300;
    const auto value = [&](std::size_t f, std::size_t k) {
        return mesh.uv[std::size_t(mesh.face_uv[f][k])][axis];
    };
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            least = std::min(least, value(f, k));
            most = std::max(most, value(f, k));
        }
    const double tolerance = 1e-6 * (most - least);
    std::vector<Index> found;
    for (std::size_t f = 0; f < mesh.face.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k)
            if (low ? value(f, k) <= least + tolerance : value(f, k) >= most - tolerance)
                found.push_back(mesh.face[f][k]);
    return found;
}

std::vector<Index> selected(const Scene& scene, const std::string& path, const PinDescription& pin,
                            const SelectionTarget& target) {
    const std::vector<Vec3>& x = target.mesh.position;
    if (!pin.vertices.empty()) return listed(scene, path, pin, target);
    if (!pin.group.empty()) return grouped(scene, path, pin, target);
    if (pin.box)
        return vertices_where(Index(x.size()), [&](Index i) {
            const Vec3& p = x[std::size_t(i)];
            return (p.array() >= pin.box->min.array()).all() &&
                   (p.array() <= pin.box->max.array()).all();
        });
    if (pin.sphere)
        return vertices_where(Index(x.size()), [&](Index i) {
            return (x[std::size_t(i)] - pin.sphere->center).norm() <= pin.sphere->radius;
        });
    if (pin.region == "boundary") return target.topology.boundary_vertex;
    if (pin.region == "all") return vertices_where(Index(x.size()), [](Index) { return true; });
    return at_end(scene, path, pin.region, target.mesh);
}

}  // namespace

std::vector<Index> select_vertices(const Scene& scene, const std::string& path,
                                   const PinDescription& pin, const SelectionTarget& target) {
    std::vector<Index> found = selected(scene, path, pin, target);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.empty()) {
        Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
        for (const Vec3& p : target.mesh.position)
            low = low.cwiseMin(p), high = high.cwiseMax(p);
        scene.fail(path, "the selector meets no vertex",
                   fmt::format("the body spans ({:.4g}, {:.4g}, {:.4g}) to "
                               "({:.4g}, {:.4g}, {:.4g}) m",
                               low.x(), low.y(), low.z(), high.x(), high.y(), high.z()));
    }
    return found;
}

std::vector<Vec2> material_coordinates(const mesh::TriMesh& mesh, double scale) {
    std::vector<Vec2> sum(mesh.position.size(), Vec2::Zero());
    std::vector<int> count(mesh.position.size(), 0);
    for (std::size_t f = 0; f < mesh.face_uv.size(); ++f)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t vertex = std::size_t(mesh.face[f][k]);
            sum[vertex] += scale * mesh.uv[std::size_t(mesh.face_uv[f][k])];
            ++count[vertex];
        }
    for (std::size_t i = 0; i < sum.size(); ++i)
        if (count[i] > 0) sum[i] /= count[i];
    return sum;
}

}  // namespace taffeta::scene

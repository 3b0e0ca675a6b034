#include "taffeta/scene/mesh_source.h"

#include <fmt/format.h>

#include "taffeta/io/format.h"
#include "taffeta/io/tet_format.h"
#include "taffeta/mesh/garment.h"
#include "taffeta/mesh/topology.h"
#include "taffeta/scene/files.h"

namespace taffeta::scene {

namespace {

/// Vertices of the two edges that the cut left: a + b + 1 of them. Edges are never jittered, so
/// their coordinates are exact up to the rounding of i/n.
std::vector<Index> cut_edges(const mesh::TriMesh& mesh, const LShapeMesh& shape) {
    const double x = double(shape.columns - shape.cut_columns) / shape.columns;
    const double y = double(shape.rows - shape.cut_rows) / shape.rows;
    constexpr double rounding = 1e-9;
    std::vector<Index> found;
    for (Index i = 0; i < mesh.vertex_count(); ++i) {
        const Vec3& p = mesh.position[std::size_t(i)];
        const bool on_vertical = std::abs(p.x() - x) < rounding && p.y() > y - rounding;
        const bool on_horizontal = std::abs(p.y() - y) < rounding && p.x() > x - rounding;
        if (on_vertical || on_horizontal) found.push_back(i);
    }
    return found;
}

mesh::TriMesh generate(const MeshDescription& description) {
    if (const auto& g = description.grid)
        return mesh::grid(g->columns, g->rows, g->width, g->height,
                          tessellation_named(g->tessellation), std::uint64_t(g->seed));
    if (const auto& d = description.disc) return mesh::disc(d->radius, d->rings);
    if (const auto& g = description.garment)
        return g->piece == "skirt" ? mesh::skirt({g->height, g->edge})
                                   : mesh::tunic({g->height, g->edge});
    TAFFETA_ASSERT(description.l_shape.has_value());
    const LShapeMesh& l = *description.l_shape;
    mesh::TriMesh made = mesh::l_shape(l.columns, l.rows, l.cut_columns, l.cut_rows,
                                       tessellation_named(l.tessellation), std::uint64_t(l.seed));
    made.group["cut"] = cut_edges(made, l);
    return made;
}

}  // namespace

mesh::TriMesh read_scene_mesh(const Scene& scene, const std::string& path, const std::string& file,
                              Diagnostics& diagnostics) {
    return io::read_mesh(
        resolve_reference(file, {scene.folder, scene.allow_outside}, scene.where(path), path),
        diagnostics);
}

mesh::TriMesh make_mesh(const Scene& scene, const std::string& path,
                        const MeshDescription& description, Diagnostics& diagnostics) {
    if (!description.file.empty())
        return read_scene_mesh(scene, path + ".file", description.file, diagnostics);
    mesh::TriMesh made = generate(description);
    made.group["boundary"] = mesh::make_topology(made).boundary_vertex;
    return made;
}

mesh::TetMesh make_tets(const Scene& scene, const std::string& path,
                        const MeshDescription& description, Diagnostics& diagnostics) {
    if (const auto& b = description.box)
        return mesh::tet_box({b->columns, b->rows, b->layers}, b->size);
    const std::string place = path + ".file";
    return io::read_tets(resolve_reference(description.file, {scene.folder, scene.allow_outside},
                                           scene.where(place), place),
                         diagnostics);
}

std::vector<std::pair<std::string, std::string>> referenced_files(
    const SceneDescription& description) {
    std::vector<std::pair<std::string, std::string>> files;
    const auto add = [&](const std::string& path, const std::string& name) {
        if (!name.empty()) files.emplace_back(path, name);
    };
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
        const BodyDescription& body = description.bodies[i];
        add(fmt::format("bodies[{}].mesh.file", i), body.mesh.file);
        add(fmt::format("bodies[{}].rest.file", i), body.rest.file);
    }
    for (std::size_t i = 0; i < description.obstacles.size(); ++i)
        add(fmt::format("obstacles[{}].shape.file", i), description.obstacles[i].file());
    if (const Settings* tableau = description.integrator.value.find("file"))
        add("integrator.file", tableau->string());
    return files;
}

}  // namespace taffeta::scene

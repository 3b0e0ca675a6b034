#include "taffeta/scene/mesh_source.h"

#include <fmt/format.h>

#include "taffeta/io/format.h"
#include "taffeta/io/frame_reader.h"
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
                          tessellation_named(g->tessellation), std::uint64_t(g->seed),
                          g->straight_columns);
    if (const auto& d = description.disc)
        return mesh::disc(d->radius, d->rings, tessellation_named(d->tessellation),
                          std::uint64_t(d->seed), d->still_rings);
    if (const auto& t = description.tube)
        return mesh::tube(t->radius, t->length, t->around, t->along);
    if (const auto& b = description.bight) return mesh::bight(b->width, b->across);
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

namespace {

/// Every file of a sequence is read under the rules for files that a scene names.
std::unique_ptr<io::FrameReader> open_frames(const Scene& scene, const std::string& path,
                                             const contact::Obstacle& obstacle) {
    const ReferenceRules rules{scene.folder, scene.allow_outside};
    const std::string place = path + ".file";
    auto reader =
        io::FrameReader::open(resolve_reference(obstacle.file(), rules, scene.where(place), place),
                              obstacle.file_stride());
    const std::filesystem::path folder = std::filesystem::path(obstacle.file()).parent_path();
    for (const std::filesystem::path& file : reader->files())
        resolve_reference((folder / file.filename()).string(), rules, scene.where(place), place);
    return reader;
}

}  // namespace

std::vector<std::filesystem::path> scene_frame_files(const Scene& scene, const std::string& path,
                                                     const contact::Obstacle& obstacle) {
    return open_frames(scene, path, obstacle)->files();
}

contact::SurfaceFrames read_scene_frames(const Scene& scene, const std::string& path,
                                         const contact::Obstacle& obstacle,
                                         Diagnostics& diagnostics) {
    const auto reader = open_frames(scene, path, obstacle);
    contact::SurfaceFrames frames;
    frames.frame_rate = reader->frame_rate();
    if (reader->topology()) {
        frames.mesh = *reader->topology();
        for (const std::filesystem::path& file : reader->files())
            frames.name.push_back(escaped(file.string()));
    } else {
        if (obstacle.topology_file().empty())
            scene.fail(path, "a point cache has no faces",
                       "name a mesh file that has them: \"mesh\": \"body.obj\"");
        frames.mesh = read_scene_mesh(scene, path + ".mesh", obstacle.topology_file(), diagnostics);
    }
    if (frames.mesh.vertex_count() != reader->vertices())
        scene.fail(path + ".file",
                   fmt::format("the cache has {} vertices, its mesh {}", reader->vertices(),
                               frames.mesh.vertex_count()),
                   "the cache was written for another mesh");
    frames.frame.resize(std::size_t(reader->frames()));
    for (Index k = 0; k < reader->frames(); ++k)
        reader->read(k + 1, frames.frame[std::size_t(k)]);
    return frames;
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
    for (std::size_t i = 0; i < description.obstacles.size(); ++i) {
        add(fmt::format("obstacles[{}].shape.file", i), description.obstacles[i].file());
        const Settings* topology = description.obstacles[i].shape.value.find("mesh");
        if (topology && topology->is(Settings::Kind::string))
            add(fmt::format("obstacles[{}].shape.mesh", i), topology->string());
    }
    if (const Settings* tableau = description.integrator.value.find("file"))
        add("integrator.file", tableau->string());
    return files;
}

}  // namespace taffeta::scene

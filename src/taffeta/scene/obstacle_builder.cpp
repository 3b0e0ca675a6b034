#include "taffeta/scene/obstacle_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "taffeta/scene/body_builder.h"
#include "taffeta/scene/mesh_source.h"
#include "taffeta/scene/motion_check.h"

namespace taffeta::scene {

namespace {

constexpr double rough = 10;        ///< a friction coefficient that is surely a mistake
constexpr double far_in_edges = 5;  ///< a step's way, in edges of the cloth

std::unique_ptr<contact::Obstacle> make_obstacle(const Scene& scene, std::size_t number,
                                                 Diagnostics& diagnostics) {
    const ObstacleDescription& description = scene.description.obstacles[number];
    const std::string path = fmt::format("obstacles[{}].shape", number);
    const Settings& shape = description.shape.value;
    auto obstacle =
        find_entry(contact::obstacles(), "obstacle", shape.find("type")->string()).make(shape);
    if (obstacle->file().empty()) return obstacle;
    if (obstacle->animated()) {
        contact::SurfaceFrames frames = read_scene_frames(scene, path, *obstacle, diagnostics);
        for (VecX& x : frames.frame)
            for (Index i = 0; i < frames.mesh.vertex_count(); ++i)
                vec3(x, i) = description.transform.apply(vec3(x, i));
        obstacle->set_frames(std::move(frames), diagnostics);
        return obstacle;
    }
    std::vector<Index> unused;
    mesh::TriMesh mesh =
        checked_mesh(scene, path + ".file",
                     read_scene_mesh(scene, path + ".file", obstacle->file(), diagnostics), false,
                     unused, diagnostics);
    for (Vec3& p : mesh.position)
        p = description.transform.apply(p);
    obstacle->set_surface(mesh, diagnostics);
    return obstacle;
}

/// Mean edge of all cloth, the length that "far" is measured in.
double mean_edge(const sim::World& world) {
    double sum = 0;
    std::size_t count = 0;
    for (const sim::Body& body : world.bodies)
        for (const Edge& edge : body.topology.edge) {
            sum += (body.mesh.position[std::size_t(edge[0])] -
                    body.mesh.position[std::size_t(edge[1])])
                       .norm();
            ++count;
        }
    return count > 0 ? sum / double(count) : 0;
}

/// The corners of the box around the surface at the start: points that move as far as any.
double obstacle_step(const contact::Obstacle& obstacle, const sim::TimeOptions& time) {
    Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
    for (const Vec3& p : obstacle.surface(0).position) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    double largest = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 start((corner & 1) ? high.x() : low.x(), (corner & 2) ? high.y() : low.y(),
                         (corner & 4) ? high.z() : low.z());
        const auto position = [&](double t) { return obstacle.carried(start, 0, t); };
        largest = std::max(largest, largest_step(position, time));
    }
    return largest;
}

/// The way of the fastest vertex in a step, looked at once a frame: rigid motions do not tell it.
double animated_step(const contact::Obstacle& obstacle, const sim::TimeOptions& time) {
    double largest = 0;
    for (int frame = 0; frame < time.frames; ++frame) {
        const double start = double(time.steps_until(frame)) * time.h();
        const std::vector<Vec3> from = obstacle.surface(start).position;
        const std::vector<Vec3> to = obstacle.surface(start + time.h()).position;
        for (std::size_t i = 0; i < from.size(); ++i)
            largest = std::max(largest, (to[i] - from[i]).norm());
    }
    return largest;
}

}  // namespace

void add_obstacles(const Scene& scene, BuiltScene& built) {
    sim::World& world = built.world;
    const auto warn = [&](const std::string& path, const std::string& message,
                          const std::string& hint) {
        built.diagnostics.push_back(scene.warning(path, message, hint));
    };
    const double edge = mean_edge(world);
    for (std::size_t i = 0; i < scene.description.obstacles.size(); ++i) {
        const ObstacleDescription& description = scene.description.obstacles[i];
        const std::string path = fmt::format("obstacles[{}]", i);
        contact::PlacedObstacle placed{description.name, make_obstacle(scene, i, built.diagnostics),
                                       description.friction};
        if (description.friction > rough)
            warn(path + ".friction",
                 fmt::format("{} is a very rough surface", description.friction),
                 "cloth has 0.1 to 1");
        const double step = placed.shape->animated() ? animated_step(*placed.shape, built.time)
                                                     : obstacle_step(*placed.shape, built.time);
        if (step > far_in_edges * edge)
            warn(path,
                 fmt::format("moves {:.3g} m in one step, {:.3g} edges of the cloth", step,
                             step / edge),
                 "raise `time.substeps`, or contact will miss it");
        Index inside = 0, first = -1;
        double deepest = 0;
        for (Index v = 0; v < world.vertex_count(); ++v) {
            const Vec3 p = vec3(world.state.x, v);
            if (!placed.shape->near(p, -1e-9, 0)) continue;
            const double distance = placed.shape->sample(p, 0).distance;
            if (distance >= -1e-9) continue;
            if (first < 0) first = v;
            ++inside;
            deepest = std::max(deepest, -distance);
        }
        if (inside > 0)
            warn(
                path,
                fmt::format("{} vertices start inside it, the first is {}, the deepest by {:.3g} m",
                            inside, first, deepest),
                "move the body or the obstacle");
        world.obstacles.push_back(std::move(placed));
        built.obstacle_color.push_back(description.color);
    }
}

}  // namespace taffeta::scene

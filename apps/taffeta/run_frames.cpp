#include "run_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run_series.h"
#include "taffeta/scene/run_directory.h"

namespace taffeta::app {

namespace {

namespace fs = std::filesystem;

constexpr int checks_across = 20;        ///< woven checks along the longer side of the cloth
constexpr double crease_angle = 35;      ///< degrees; obstacles keep sharper edges
constexpr double level_cosine = 0.9998;  ///< a plane within a degree of level is a floor
constexpr double background_size = 3;    ///< obstacles larger than this many cloths do not count

render::RenderMesh obstacle_mesh(const contact::Obstacle& obstacle, const Vec3& color, double t) {
    const mesh::TriMesh surface = obstacle.surface(t);
    render::RenderMesh drawn;
    drawn.position = surface.position;
    drawn.face = surface.face;
    drawn.finish = render::Finish::matte;
    drawn.color = color;
    drawn.crease_angle = crease_angle;
    return drawn;
}

}  // namespace

RunFrames::RunFrames(const fs::path& directory, const fs::path& scene_folder) {
    const scene::RunDirectory run = scene::RunDirectory::open(directory);
    RunScene made = build_run_scene(run, scene_folder);
    scene_ = std::move(made.scene);
    built_ = std::move(made.built);
    frame_rate_ = built_.time.frame_rate / scene_.description.output.every;
    open_series(run.frames());
    find_floor();
}

void RunFrames::open_series(const fs::path& folder) {
    for (const sim::Body& body : built_.world.bodies) {
        std::unique_ptr<io::FrameReader> reader = open_body_frames(folder, body);
        frames_ = series_.empty() ? reader->frames() : std::min(frames_, int(reader->frames()));
        series_.push_back({&body, std::move(reader), sim::shown_mesh(body)});
    }
    if (frames_ < 1) fail_input(folder.string(), "there are no frames");
}

void RunFrames::find_floor() {
    is_floor_.assign(built_.world.obstacles.size(), false);
    for (std::size_t o = 0; o < is_floor_.size(); ++o) {
        const Settings& shape = scene_.description.obstacles[o].shape.value;
        const Settings* type = shape.find("type");
        if (!type || type->string() != "plane") continue;
        const mesh::TriMesh at_start = built_.world.obstacles[o].shape->surface(0);
        const mesh::TriMesh at_end = built_.world.obstacles[o].shape->surface(time(frames_));
        const double height = up().dot(at_start.position.front());
        const contact::Sample above =
            built_.world.obstacles[o].shape->sample(at_start.position.front() + up(), 0);
        const bool still = at_start.position.front() == at_end.position.front();
        if (!still || above.normal.dot(up()) < level_cosine) continue;
        is_floor_[o] = true;
        floor_ = floor_ ? std::max(*floor_, height) : height;
    }
}

render::RenderMesh RunFrames::cloth_mesh(const Series& series, int frame) {
    series.reader->read(Index(frame), x_);
    const mesh::TriMesh& source = series.mesh;
    render::RenderMesh drawn;
    drawn.position.resize(source.position.size());
    for (Index v = 0; v < source.vertex_count(); ++v)
        drawn.position[std::size_t(v)] = vec3(x_, v);
    drawn.face = source.face;
    drawn.uv = source.uv;
    drawn.face_uv = source.face_uv;
    drawn.color = series.body->color;
    drawn.check_size = render::fitting_check_size(drawn, checks_across);
    return drawn;
}

std::vector<render::RenderMesh> RunFrames::meshes(int frame) {
    std::vector<render::RenderMesh> drawn;
    for (const Series& series : series_)
        drawn.push_back(cloth_mesh(series, frame));
    for (std::size_t o = 0; o < is_floor_.size(); ++o)
        if (!is_floor_[o])
            drawn.push_back(obstacle_mesh(*built_.world.obstacles[o].shape,
                                          built_.obstacle_color[o], time(frame)));
    return drawn;
}

render::Outline RunFrames::outline(int frame) {
    render::Outline outline;
    for (const Series& series : series_) {
        series.reader->read(Index(frame), x_);
        outline.add(x_);
    }
    const double size = outline.diagonal();
    for (std::size_t o = 0; o < is_floor_.size(); ++o) {
        render::Outline obstacle;
        obstacle.add(built_.world.obstacles[o].shape->surface(time(frame)).position);
        if (is_floor_[o] || obstacle.diagonal() > background_size * size) continue;
        outline.add(obstacle);
    }
    return outline;
}

double RunFrames::floor_height(const render::Outline& outline) const {
    if (floor_) return *floor_;
    return up().dot(outline.low()) - 0.02 * outline.diagonal();
}

}  // namespace taffeta::app
